import { MillraceError } from './millrace-error.ts'

/**
 * Loads an optional peer dependency: its name, the feature that needs it, and the import, which may be synchronous. The error for a missing package names the package to install. Imports stay literal, so that bundlers can follow them.
 */
export function loadPeer<T>(name: string, feature: string, load: () => T): T {
  const explain = (cause: unknown): never => {
    const message = `${feature} needs the package \`${name}\`, which could not be loaded. Run \`npm install ${name}\`.`
    throw new MillraceError('unsupported', message, { cause })
  }
  try {
    const loaded = load()
    return loaded instanceof Promise ? (loaded.catch(explain) as T) : loaded
  } catch (cause) {
    return explain(cause)
  }
}
