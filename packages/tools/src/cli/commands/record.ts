import { parseArgs } from 'node:util'
import { type Command, misuse } from '../command.ts'
import { decodePort } from '../decode-options.ts'
import { describeExchange } from '../../record/exchange-log.ts'
import { createRecordingFiles } from '../../record/recording-file.ts'
import { startRecordingProxy } from '../../record/proxy-exchange.ts'

const usage = `--to URL [--out recordings] [--no-prompts] [--port 8789] [--host 127.0.0.1]

  --to           the endpoint, such as https://api.anthropic.com
  --out          a folder, or the name of a .jsonl file; nothing is ever overwritten
  --no-prompts   replace every text of a request by its length
  --port         the port to listen on; 0 takes any free one
  --host         the address to listen on

Proxies a model's API, and writes each exchange to a file, with its times. Keys, tokens, cookies and ids of
organisations are removed before anything is written; texts of people and models are kept.`

/** `millrace record`: a proxy that writes recordings. */
export const record: Command = {
  usage,
  run: async (args, terminal) => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        to: { type: 'string' },
        out: { type: 'string', default: 'recordings' },
        'no-prompts': { type: 'boolean', default: false },
        port: { type: 'string', default: '8789' },
        host: { type: 'string', default: '127.0.0.1' },
      },
    })
    const target = decodeEndpoint(values.to)
    const server = await startRecordingProxy({
      target,
      port: decodePort('--port', values.port),
      host: values.host,
      openFile: createRecordingFiles(values.out),
      keepsPrompts: !values['no-prompts'],
      onEnd: (report) => {
        const say = report.problem === undefined ? terminal.print : terminal.complain
        say(describeExchange(report))
      },
    })
    terminal.print(toGreeting(server.url, target, values.out))
    await terminal.untilStopped()
    await server.close()
    return 0
  },
}

function decodeEndpoint(text: string | undefined): URL {
  if (text === undefined)
    throw misuse('--to must name the endpoint, such as https://api.anthropic.com.')
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw misuse(`--to must be an http or https address, not ${JSON.stringify(text)}.`)
  }
  if (url.username !== '' || url.password !== '' || url.search !== '') {
    throw misuse('--to must hold no password and no query; send them with the requests.')
  }
  return url
}

function toGreeting(url: string, target: URL, out: string): string {
  return [
    '',
    `  Requests to ${url} go to ${target.href} and are recorded in ${out}`,
    '',
    '  Point a client at it, with its usual key:',
    '',
    `    ANTHROPIC_BASE_URL=${url}`,
    `    OPENAI_BASE_URL=${url}/v1`,
    '',
    '  Ctrl-C stops.',
    '',
  ].join('\n')
}
