import { createMillraceSite } from './millrace-site.ts'
import { createRawSite } from './raw-site.ts'
import type { StoreAddress } from '../servers/index.ts'
import type { Command } from './site.ts'

/** A call from the measuring process. */
interface Call {
  readonly number: number
  readonly command: Command
  readonly argument: never
}

const name = process.argv[2] as StoreAddress | 'raw'
const site = name === 'raw' ? createRawSite() : createMillraceSite(name)

async function answer({ number, command, argument }: Call): Promise<void> {
  try {
    process.send?.({ number, result: await site[command](argument) })
  } catch (error) {
    process.send?.({ number, error: String(error) })
  }
}

process.on('message', (call: Call) => void answer(call))
// The measuring process has ended, so the server ends too.
process.on('disconnect', () => process.exit())
