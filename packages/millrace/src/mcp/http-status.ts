/** The status with which a server refused a request over HTTP; undefined for any other error. */
export function httpStatusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  // Errors that a server has answered with carry numbers of its own in the same place.
  const isAnswer = error.name === 'McpError'
  return !isAnswer && typeof error.code === 'number' ? error.code : undefined
}
