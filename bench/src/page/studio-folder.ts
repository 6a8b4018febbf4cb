import { fileURLToPath } from 'node:url'

/** The folder of the built Studio. */
export const studioFolder = fileURLToPath(
  new URL('../../../packages/tools/studio/', import.meta.url),
)
