import { command } from './lib/failure.mjs'
import { runSizes } from './lib/sizes.mjs'
import { setup } from './setup.mjs'

await command(async () => {
  await setup()
  const { failed } = await runSizes()
  return failed === 0 ? 0 : 1
})
