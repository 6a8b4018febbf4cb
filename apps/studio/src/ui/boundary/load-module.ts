/** A part of the page did not come from the server. */
export class LoadError extends Error {
  override readonly name = 'LoadError'

  constructor(cause: unknown) {
    const why = 'A part of this page did not come from the server, which may be away or updated.'
    super(`${why} Load the page again.`, { cause })
  }
}

/** Loads a part of the page; a failure is a {@link LoadError}, since what browsers say of it differs. */
export async function loadModule<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (cause) {
    throw new LoadError(cause)
  }
}
