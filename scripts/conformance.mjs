import { command } from './lib/failure.mjs'
import { runForeground } from './lib/foreground.mjs'
import { setup } from './setup.mjs'

await command(async () => {
  await setup()
  return runForeground(
    'packages/tools/dist/main.js',
    ['conformance', ...process.argv.slice(2)],
    // npm changes into the repository; the paths are meant from where it was called.
    { cwd: process.env.INIT_CWD ?? process.cwd() },
  )
})
