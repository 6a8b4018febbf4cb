import { command } from './lib/failure.mjs'
import { runForeground } from './lib/foreground.mjs'
import { setup } from './setup.mjs'

await command(async () => {
  await setup({ forStart: true })
  return runForeground('packages/tools/dist/main.js', ['dev', ...process.argv.slice(2)])
})
