import { command } from './lib/failure.mjs'
import { runForeground } from './lib/foreground.mjs'
import { setup } from './setup.mjs'

await command(async () => {
  await setup()
  return runForeground('soak/run.mjs', process.argv.slice(2))
})
