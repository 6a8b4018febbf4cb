import { command } from './lib/failure.mjs'
import { runTool } from './lib/run.mjs'
import { setup } from './setup.mjs'

await command(async () => {
  await setup({ building: false })
  const { ok } = await runTool('oxfmt', process.argv.slice(2), { show: true })
  return ok ? 0 : 1
})
