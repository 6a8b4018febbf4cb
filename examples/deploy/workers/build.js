import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url))

await build({
  input: pathOf('worker.js'),
  external: [/^node:/],
  output: { file: pathOf('dist/worker.js'), format: 'esm', codeSplitting: false },
})
