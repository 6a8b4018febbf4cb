import { fileURLToPath } from 'node:url'

export default {
  // These packages load native code, or must have one copy in the process.
  serverExternalPackages: ['libsql', 'millrace', 'millrace-tools'],
  // Compression holds frames of a stream back.
  compress: false,
  // The packages of this example are in the folders above.
  turbopack: { root: fileURLToPath(new URL('../../..', import.meta.url)) },
}
