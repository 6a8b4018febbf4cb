import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { LogLevel } from 'millrace/node'
import type { Keep, WebhookOptions } from 'millrace/server'
import { type Terminal, misuse, chooseStore } from '../cli/command.ts'
import { decodeKeep, decodePort, keepOptions } from '../cli/decode-options.ts'

/** The options of `millrace serve`. */
export interface ServeCommandOptions {
  readonly file: string
  readonly port: number
  readonly host: string
  /** A folder with a page, served beside the API. */
  readonly page: string | undefined
  readonly hasStudio: boolean
  readonly token: string | undefined
  /** Whether clients need no token. */
  readonly isForAnyone: boolean
  readonly storeAddress: string
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  /** Receivers of run events, besides those of the module. */
  readonly webhooks: readonly WebhookOptions[]
  readonly keep: Keep
  readonly level: LogLevel
  readonly logFormat: LogFormat
  readonly logContent: boolean
}

type LogFormat = 'auto' | 'json' | 'pretty'

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent']
const logFormats: readonly LogFormat[] = ['auto', 'json', 'pretty']

/** Decodes the arguments of `millrace serve`, with defaults from the environment. */
export function readServeOptions(
  args: readonly string[],
  env: Terminal['env'],
): ServeCommandOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      page: { type: 'string' },
      studio: { type: 'boolean', default: false },
      token: { type: 'string' },
      'allow-anyone': { type: 'boolean', default: false },
      store: { type: 'string' },
      ...keepOptions,
      'allow-host': { type: 'string', multiple: true, default: [] },
      'allow-origin': { type: 'string', multiple: true, default: [] },
      webhook: { type: 'string' },
      'log-level': { type: 'string', default: 'info' },
      'log-format': { type: 'string', default: 'auto' },
      'log-content': { type: 'boolean', default: false },
    },
  })
  const [file, second] = positionals
  if (file === undefined) throw misuse('Name the module with the agents to serve.')
  if (second !== undefined) throw misuse('Only one module can be served at a time.')
  if (values.studio && values.page !== undefined) {
    throw misuse('--studio and --page are both served at /; leave one of them out.')
  }
  return {
    file,
    port: values.port
      ? decodePort('--port', values.port)
      : decodePort('PORT', env['PORT'] || '8787'),
    host: values.host ?? (env['HOST'] || '127.0.0.1'),
    page: values.page === undefined ? undefined : checkPage(values.page),
    hasStudio: values.studio,
    token: values.token ?? (env['MILLRACE_TOKEN'] || undefined),
    isForAnyone: values['allow-anyone'],
    storeAddress: chooseStore(values.store, env),
    allowedHosts: values['allow-host'],
    allowedOrigins: values['allow-origin'].map(checkOrigin),
    webhooks: chooseWebhooks(values.webhook, env),
    keep: decodeKeep(values),
    level: chooseOne('--log-level', values['log-level'], levels),
    logFormat: chooseOne('--log-format', values['log-format'], logFormats),
    logContent: values['log-content'],
  }
}

function chooseOne<Name extends string>(
  option: string,
  text: string,
  names: readonly Name[],
): Name {
  const found = names.find((name) => name === text)
  if (found !== undefined) return found
  throw misuse(`${option} must be one of ${names.join(', ')}, not ${JSON.stringify(text)}.`)
}

/** The secret is not an argument, because other users of the machine can see those. */
function chooseWebhooks(
  given: string | undefined,
  env: Terminal['env'],
): readonly WebhookOptions[] {
  const url = given ?? (env['MILLRACE_WEBHOOK_URL'] || undefined)
  const secret = env['MILLRACE_WEBHOOK_SECRET'] || undefined
  if (url === undefined) return []
  if (secret !== undefined) return [{ url, secret }]
  throw misuse(
    'A webhook requires a secret, which its receiver checks: set MILLRACE_WEBHOOK_SECRET to whsec_ and 32 random bytes in base64.',
  )
}

function checkPage(folder: string): string {
  if (existsSync(join(folder, 'index.html'))) return folder
  throw misuse(
    `--page must be a folder with an index.html, which ${folder} does not have; check the path.`,
  )
}

function checkOrigin(text: string): string {
  if (URL.canParse(text) && new URL(text).origin === text) return text
  throw misuse(
    `--allow-origin must be an origin such as https://app.example, not ${JSON.stringify(text)}.`,
  )
}
