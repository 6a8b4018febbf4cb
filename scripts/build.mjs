import { command } from './lib/failure.mjs'
import { setup } from './setup.mjs'

await command(() => setup())
