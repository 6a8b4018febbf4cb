import { parseArgs } from 'node:util'
import { toErrorLog } from 'millrace/redaction'
import { type Command, type Terminal, misuse, chooseStore, storeUsage } from '../command.ts'
import { decodeKeep, decodePace, decodePort, keepOptions, keepUsage } from '../decode-options.ts'
import { toGreeting } from '../../dev/dev-greeting.ts'
import { startDevServer } from '../../dev/dev-server.ts'
import { runWatched } from '../../dev/run-watched.ts'
import { explainConflict } from '../explain-conflict.ts'
import { describeHandedOff, describeStopping } from '../hand-off.ts'
import { isLoopback } from '../is-loopback.ts'
import { readVersion } from '../read-version.ts'

const WATCH = '--watch'

const usage = `[MODULE] [--watch] [--port 8787] [--host 127.0.0.1] [--allow-host NAME]... [--pace natural] [--store ADDRESS]

  MODULE         a module with your own agents, as for millrace serve; without one, a demo
                 agent is served
  --watch        restart when the module, or a file that it imports, changes; runs continue
                 afterwards
  --port         the port to listen on; 0 takes any free one (or PORT)
  --host         the address or name to listen on (or HOST)
  --allow-host   another name under which browsers reach this server, such as that of a proxy
  --pace         speed of the emulator of the demo agent: natural, instant, or tokens per second
  --store        ${storeUsage}
  ${keepUsage}

With ANTHROPIC_API_KEY set, the demo agent uses the real API; MILLRACE_MODEL chooses the model.
Your own agents use the models of their module. No token is required unless the module
requires one.`

/** `millrace dev`: Studio, the API and your agents, or a demo agent, on this machine. */
export const dev: Command = {
  usage,
  run: async (args, terminal) => {
    const { env } = terminal
    const { isWatching, ...options } = readOptions(args, env)
    if (isWatching) return runWatched(['dev', ...args.filter((arg) => arg !== WATCH)])
    const server = await startDevServer({
      ...options,
      version: await readVersion(),
      onError: (error) => terminal.complain(toErrorLog(error)),
      onViolation: ({ rule, message }) => terminal.complain(`Protocol [${rule}]: ${message}`),
    }).catch(async (error: unknown) => {
      throw await explainConflict(error, { ...options, env })
    })
    terminal.print(toGreeting(server, options))
    if (options.file === undefined && !isLoopback(options.host)) terminal.complain(warning)
    await terminal.untilStopped()
    terminal.print(`\n${describeStopping(server.activity().runs, server.isDurable)}`)
    const left = describeHandedOff(await server.close())
    if (left !== undefined) terminal.print(left)
    return 0
  },
}

const warning =
  'Note: this address can be reached from other machines, and no password is required.'

function readOptions(args: readonly string[], env: Terminal['env']) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      watch: { type: 'boolean' },
      port: { type: 'string' },
      host: { type: 'string' },
      'allow-host': { type: 'string', multiple: true },
      pace: { type: 'string' },
      store: { type: 'string' },
      ...keepOptions,
    },
  })
  const [file, second] = positionals
  if (second !== undefined) throw misuse('Only one module can be served at a time.')
  if (file !== undefined && values.pace !== undefined) {
    throw misuse(`--pace is for the demo agent; the agents of ${file} have their own models.`)
  }
  const isWatching = values.watch === true
  if (isWatching && file === undefined)
    throw misuse(`${WATCH} needs a module: name the file with your agents.`)
  const apiKey = env['ANTHROPIC_API_KEY'] ?? ''
  return {
    isWatching,
    ...(file !== undefined && { file }),
    port: values.port
      ? decodePort('--port', values.port)
      : decodePort('PORT', env['PORT'] || '8787'),
    host: values.host ?? (env['HOST'] || '127.0.0.1'),
    allowedHosts: values['allow-host'] ?? [],
    pace: decodePace(values.pace ?? 'natural'),
    storeAddress: chooseStore(values.store, env),
    keep: decodeKeep(values),
    modelId: env['MILLRACE_MODEL'] || 'claude-sonnet-5',
    // The SDK reads it by itself; here it is only shown.
    baseURL: env['ANTHROPIC_BASE_URL'],
    ...(apiKey === '' ? {} : { apiKey }),
  }
}
