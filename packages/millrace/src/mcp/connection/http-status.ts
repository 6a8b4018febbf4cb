/** Returns the HTTP status of a rejected request; undefined for any other error. */
export function httpStatusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  // A JSON-RPC error of the server also has a numeric code.
  const isAnswer = error.name === 'McpError'
  return !isAnswer && typeof error.code === 'number' ? error.code : undefined
}
