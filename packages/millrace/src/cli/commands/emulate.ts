import { parseArgs } from 'node:util'
import { createEmulator } from '../../emulator/index.ts'
import { serve } from '../../node/index.ts'
import type { Command } from '../command.ts'
import { decodePace, decodePort } from '../decode-options.ts'

const usage = `[--port 8788] [--host 127.0.0.1] [--pace natural]

  --port   where to listen; 0 takes any free port
  --host   the address to listen on
  --pace   how fast the model speaks: natural, instant, or tokens a second`

/** `millrace emulate`: a scripted model that speaks the Anthropic Messages API. */
export const emulate: Command = {
  usage,
  run: async (args, terminal) => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string', default: '8788' },
        host: { type: 'string', default: '127.0.0.1' },
        pace: { type: 'string', default: 'natural' },
      },
    })
    const handler = createEmulator({ pace: decodePace(values.pace) })
    const port = decodePort('--port', values.port)
    const server = await serve({ handler, port, host: values.host, closeGraceMs: 100 })
    terminal.print(toGreeting(server.url))
    await terminal.untilStopped()
    await server.close()
    return 0
  },
}

function toGreeting(url: string): string {
  return [
    '',
    `  A scripted model answers at ${url}/v1/messages`,
    '',
    '  Point any client of the Messages API at it:',
    '',
    `    ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=any`,
    '',
    '  Ctrl-C stops.',
    '',
  ].join('\n')
}
