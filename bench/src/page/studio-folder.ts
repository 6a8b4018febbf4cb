import { fileURLToPath } from 'node:url'

/** Where the built Studio is. */
export const studioFolder = fileURLToPath(
  new URL('../../../packages/tools/studio/', import.meta.url),
)
