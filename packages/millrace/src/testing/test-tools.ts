/** The functions of a test runner that a contract suite needs; `test` and `expect` of vitest, jest and similar runners fit. */
export interface TestTools {
  readonly test: (name: string, body: () => Promise<void>) => unknown
  readonly expect: (actual: unknown) => {
    toBe(expected: unknown): unknown
    toEqual(expected: unknown): unknown
  }
}
