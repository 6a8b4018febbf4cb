/** What a contract suite needs of a test runner; `test` and `expect` of vitest, jest and their like fit. */
export interface TestTools {
  readonly test: (name: string, body: () => Promise<void>) => unknown
  readonly expect: (actual: unknown) => {
    toBe(expected: unknown): unknown
    toEqual(expected: unknown): unknown
  }
}
