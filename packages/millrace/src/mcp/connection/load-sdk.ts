import { MillraceError } from '../../errors/index.ts'

/** Loads a part of the official SDK on demand. The SDK is an optional dependency. */
export async function loadSdk<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (cause) {
    const message =
      'The package `@modelcontextprotocol/sdk` could not be loaded; run `npm install @modelcontextprotocol/sdk`.'
    throw new MillraceError('unsupported', message, { cause })
  }
}
