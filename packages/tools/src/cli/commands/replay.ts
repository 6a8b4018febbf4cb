import { parseArgs } from 'node:util'
import { type Choice, createReplay, type ReplayPace } from '../../recordings/index.ts'
import { type Command, misuse } from '../command.ts'
import { decodePort } from '../decode-options.ts'
import { readRecordings } from '../../record/read-recordings.ts'
import { startReplayServer } from '../../record/replay-server.ts'

const usage = `FILE|FOLDER … [--pace own] [--port 8790] [--host 127.0.0.1]

  --pace   own: the recorded times; instant: at once; x10: ten times as fast
  --port   the port to listen on; 0 takes any free one
  --host   the address to listen on

Responds like the recorded endpoint: to the same model and prompt, otherwise in order. Besides recordings of
millrace record, it reads bodies of server-sent events and files with one event per line, which have no times.`

/** `millrace replay`: serves recordings behind their API. */
export const replay: Command = {
  usage,
  run: async (args, terminal) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        pace: { type: 'string', default: 'own' },
        port: { type: 'string', default: '8790' },
        host: { type: 'string', default: '127.0.0.1' },
      },
    })
    if (positionals.length === 0) throw misuse('Name at least one recording.')
    const pace = decodeReplayPace(values.pace)
    const port = decodePort('--port', values.port)
    const named = await readRecordings(positionals)
    const replayed = createReplay(
      named.map(({ recording }) => recording),
      { pace, onRequest: ({ method, path }, choice) => report(`${method} ${path}`, choice) },
    )
    const server = await startReplayServer({ replay: replayed, port, host: values.host })
    terminal.print(toGreeting(server.url, named.length))
    await terminal.untilStopped()
    await server.close()
    return 0

    function report(request: string, choice: Choice | undefined): void {
      if (choice === undefined) return terminal.complain(`${request}  no matching recording`)
      terminal.print(`${request}  ← ${named[choice.index]?.file} (by its ${choice.reason})`)
    }
  },
}

function decodeReplayPace(text: string): ReplayPace {
  if (text === 'own' || text === 'instant') return text
  const factor = Number(/^[x×]?([\d.]+)[x×]?$/.exec(text)?.[1])
  if (factor > 0 && factor <= 1_000_000) return factor
  throw misuse(`--pace must be own, instant or a factor such as x10, not ${JSON.stringify(text)}.`)
}

function toGreeting(url: string, count: number): string {
  return [
    '',
    `  ${count} ${count === 1 ? 'recording is' : 'recordings are'} served at ${url}`,
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
