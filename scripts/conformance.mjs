import { command } from './lib/failure.mjs'
import { runForeground } from './lib/foreground.mjs'
import { setup } from './setup.mjs'

await command(async () => {
  await setup()
  return runForeground(
    'packages/tools/dist/main.js',
    ['conformance', ...process.argv.slice(2)],
    // npm changes into the repository; the paths are relative to the folder of the caller.
    { cwd: process.env.INIT_CWD ?? process.cwd() },
  )
})
