import { runChecks } from './lib/checks.mjs'
import { command } from './lib/failure.mjs'
import { setup } from './setup.mjs'

await command(async () => {
  await setup({ building: false })
  const { failed } = await runChecks()
  return failed === 0 ? 0 : 1
})
