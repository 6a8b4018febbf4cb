import { LoadError } from './load-error.ts'

/** Loads a part of the page; a failure is a {@link LoadError}, since what browsers say of it differs. */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (cause) {
    throw new LoadError(cause)
  }
}
