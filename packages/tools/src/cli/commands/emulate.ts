import { parseArgs } from 'node:util'
import { createEmulator, decodeFaults, type EmulatedRequest } from '../../emulator/index.ts'
import { isMillraceError } from 'millrace'
import { serve } from 'millrace/node'
import { type Command, misuse } from '../command.ts'
import { decodePace, decodePort, decodeSpeed } from '../decode-options.ts'

const usage = `[--port 8788] [--host 127.0.0.1] [--pace natural] [--speed 1] [--seed TEXT] [--fault FAULT]...

  --port    the port to listen on; 0 takes any free one
  --host    the address to listen on
  --pace    speed of the model: natural, instant, or tokens per second
  --speed   a factor on that speed, also for demos with their own pace
  --seed    the same seed yields the same ids, chunks and faults for the same requests
  --fault   a fault of every response: name=value@place*times%chance, such as
              cut@byte:400            the connection fails after 400 bytes
              error=api_error@12      an error event before the 12th event
              stall@message_stop      silence instead of the end; stall=2000 for two seconds
              rate_limit=2*1          429 with retry-after: 2, for the first attempt at a request
              status=529%10           529 for one request in ten
              slow_headers=3000, chunks=1, crlf, bom, comments, pings=3@5, bad_json@7,
              duplicate_start@4, spliced_start@4, wrong_index@content_block_start#1, drop@6,
              repeat@6, insert=news@3, end@9, no_event_names, no_final_blank_line
            The header x-millrace-fault does the same for one request.`

/** `millrace emulate`: a scripted model behind the Anthropic Messages API and OpenAI's chat completions. */
export const emulate: Command = {
  usage,
  run: async (args, terminal) => {
    const { port, host, ...options } = readOptions(args)
    const onRequest = (request: EmulatedRequest): void => terminal.print(toLine(request))
    const handler = createEmulator({ ...options, onRequest })
    const server = await serve({ handler, port, host, closeGraceMs: 100 })
    terminal.print(toGreeting(server.url))
    await terminal.untilStopped()
    await server.close()
    return 0
  },
}

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '8788' },
      host: { type: 'string', default: '127.0.0.1' },
      pace: { type: 'string', default: 'natural' },
      speed: { type: 'string', default: '1' },
      seed: { type: 'string' },
      fault: { type: 'string', multiple: true, default: [] },
    },
  })
  return {
    port: decodePort('--port', values.port),
    host: values.host,
    pace: decodePace(values.pace),
    speed: decodeSpeed(values.speed),
    faults: values.fault.flatMap(readFaults),
    ...(values.seed === undefined ? {} : { seed: values.seed }),
  }
}

function readFaults(text: string) {
  try {
    return decodeFaults(text)
  } catch (error) {
    throw isMillraceError(error) ? misuse(error.message) : error
  }
}

/** Formats a request, such as `POST /v1/messages 200 claude-sonnet-5 · tools · fault cut · unknown field foo`. */
function toLine({
  method,
  path,
  status,
  model,
  scenario,
  faults,
  notices,
}: EmulatedRequest): string {
  const facts = [
    [method, path, status, model].filter((part) => part !== undefined).join(' '),
    ...(scenario === undefined ? [] : [scenario]),
    ...faults.map((fault) => `fault ${fault}`),
    ...notices,
  ]
  return `  ${facts.join(' · ')}`
}

function toGreeting(url: string): string {
  return [
    '',
    `  A scripted model answers at ${url}/v1/messages and ${url}/v1/chat/completions`,
    '',
    '  Point a client at it, with any key:',
    '',
    `    ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=any`,
    `    OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=any`,
    '',
    '  Ctrl-C stops.',
    '',
  ].join('\n')
}
