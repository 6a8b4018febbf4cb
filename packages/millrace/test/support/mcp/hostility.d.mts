/** Creates the function that answers requests in a hostile way; `say` sends a message. */
export function createHostility(
  mode: string,
  say: (message: object) => void,
): (request: object) => void
