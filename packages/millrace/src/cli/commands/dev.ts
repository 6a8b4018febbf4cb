import { parseArgs } from 'node:util'
import { demoPrompts } from '../../emulator/index.ts'
import { decodeStoreAddress, describeStore } from '../../node/index.ts'
import type { Command, Terminal } from '../command.ts'
import { decodePace, decodePort } from '../decode-options.ts'
import { type DevServer, startDevServer } from '../dev-server.ts'
import { explainConflict } from '../explain-conflict.ts'
import { describeHandedOver, describeRecovered, describeStopping } from '../hand-over.ts'
import { isLoopback } from '../is-loopback.ts'
import { readVersion } from '../read-version.ts'
import { chooseStore, storeUsage } from '../store-option.ts'

const usage = `[--port 8787] [--host 127.0.0.1] [--allow-host NAME]... [--pace natural] [--store ADDRESS]

  --port         where to listen; 0 takes any free port (or PORT)
  --host         the address or name to listen on (or HOST)
  --allow-host   another name under which browsers reach this server, such as that of a proxy
  --pace         how fast the emulator speaks: natural, instant, or tokens a second
  --store        ${storeUsage}

With ANTHROPIC_API_KEY set, the real API answers; MILLRACE_MODEL chooses the model.`

/** `millrace dev`: Studio, the API and a demo agent on this machine. */
export const dev: Command = {
  usage,
  run: async (args, terminal) => {
    const { env } = terminal
    const options = readOptions(args, env)
    const server = await startDevServer({
      ...options,
      version: await readVersion(),
      onError: (error) => terminal.complain(describe(error)),
      onViolation: ({ rule, message }) => terminal.complain(`Protocol [${rule}]: ${message}`),
    }).catch(async (error: unknown) => {
      throw await explainConflict(error, { ...options, env })
    })
    terminal.print(toGreeting(server, options))
    if (!isLoopback(options.host)) terminal.complain(warning)
    await terminal.untilStopped()
    terminal.print(`\n${describeStopping(server.activity().runs, server.isDurable)}`)
    const left = describeHandedOver(await server.close())
    if (left !== undefined) terminal.print(left)
    return 0
  },
}

const warning =
  'Note: this address can be reached from other machines, and nobody is asked for a password.'

function readOptions(args: readonly string[], env: Terminal['env']) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      'allow-host': { type: 'string', multiple: true },
      pace: { type: 'string' },
      store: { type: 'string' },
    },
  })
  const apiKey = env['ANTHROPIC_API_KEY'] ?? ''
  return {
    port: values.port
      ? decodePort('--port', values.port)
      : decodePort('PORT', env['PORT'] || '8787'),
    host: values.host ?? (env['HOST'] || '127.0.0.1'),
    allowedHosts: values['allow-host'] ?? [],
    pace: decodePace(values.pace ?? 'natural'),
    storeAddress: chooseStore(values.store, env),
    modelId: env['MILLRACE_MODEL'] || 'claude-sonnet-5',
    // The SDK reads it by itself; here it is only told.
    baseURL: env['ANTHROPIC_BASE_URL'],
    ...(apiKey === '' ? {} : { apiKey }),
  }
}

function toGreeting(server: DevServer, options: ReturnType<typeof readOptions>): string {
  const { url, hasStudio, workspace, recovered } = server
  const isEmulated = options.apiKey === undefined
  const carriedOn = describeRecovered(recovered)
  return [
    '',
    `  Millrace is running at ${url}`,
    '',
    isEmulated
      ? '  Model     the built-in emulator, no key needed (ANTHROPIC_API_KEY switches to the real API)'
      : `  Model     ${options.modelId}, ${options.baseURL ?? 'the real API'} (MILLRACE_MODEL chooses another)`,
    `  Sessions  ${describeStore(decodeStoreAddress(options.storeAddress))}`,
    `  Files     in ${workspace}; they are gone when this stops`,
    ...(hasStudio
      ? []
      : ['  Studio    has not been built; only the API is served (npm run build)']),
    '',
    `  ${hasStudio ? 'Open the address' : 'POST to /agent/run'} and send one of these:`,
    '',
    ...(isEmulated ? demoRows() : realRows),
    '',
    ...(hasStudio
      ? ['  The parser lab takes apart what a model writes as text: add #lab to the address.', '']
      : []),
    ...(carriedOn === undefined ? [] : [carriedOn, '']),
    '  Ctrl-C stops.',
    '',
  ].join('\n')
}

const realRows = [
  '    What is the weather in Lisbon, and what time is it there?',
  '    Ask me whether I want to go on before you tell me a joke.',
]

/** One row for each group of demos, which differ in their last words. */
function demoRows(): string[] {
  const groups = [...new Set(demoPrompts.map(({ group }) => group))]
  const width = Math.max(...groups.map(({ length }) => length))
  return groups.map((group) => {
    const prompts = demoPrompts.filter((demo) => demo.group === group)
    const names = prompts.map(({ prompt }) => prompt.replace('/demo ', ''))
    return `    ${group.padEnd(width)}   /demo ${names.join(' | ')}`
  })
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
