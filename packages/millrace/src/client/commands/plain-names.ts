/** Converts the names of fields to camel case: `run_id` becomes `runId`. */
export function withPlainNames(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/_./g, ([, letter = '']) => letter.toUpperCase()),
      value,
    ]),
  )
}
