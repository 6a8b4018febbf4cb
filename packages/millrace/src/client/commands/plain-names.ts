/** Converts the names of fields to camel case: `run_id` becomes `runId`, and `tool_use_id` is `callId`. */
export function withPlainNames(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name === 'tool_use_id'
        ? 'callId'
        : name.replace(/_./g, ([, letter = '']) => letter.toUpperCase()),
      value,
    ]),
  )
}
