import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { LogLevel } from 'millrace/node'
import type { Keep, WebhookOptions } from 'millrace/server'
import type { Terminal } from '../cli/command.ts'
import { decodeKeep, decodePort, keepOptions } from '../cli/decode-options.ts'
import { misuse } from '../cli/misuse.ts'
import { chooseStore } from '../cli/store-option.ts'

/** What `millrace serve` was asked for. */
export interface ServeCommandOptions {
  readonly file: string
  readonly port: number
  readonly host: string
  /** A folder with a page, served beside the API. */
  readonly page: string | undefined
  /** Whether Studio is that page. */
  readonly hasStudio: boolean
  readonly token: string | undefined
  /** Whether anyone who reaches the address may use it. */
  readonly isForAnyone: boolean
  readonly storeAddress: string
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  /** The receiver of events about runs, beside those of the module. */
  readonly webhooks: readonly WebhookOptions[]
  readonly keep: Keep
  readonly level: LogLevel
  readonly logFormat: LogFormat
  readonly logContent: boolean
}

type LogFormat = 'auto' | 'json' | 'pretty'

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent']
const logFormats: readonly LogFormat[] = ['auto', 'json', 'pretty']

/** Reads the arguments of `millrace serve`, and what the environment says in their place. */
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
  if (file === undefined) throw misuse('Name the module whose agents are to be served.')
  if (second !== undefined) throw misuse('One module is served at a time.')
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
  throw misuse(`${option} is one of ${names.join(', ')}, not ${JSON.stringify(text)}.`)
}

/** A secret is not taken from the arguments, which other users of the machine see. */
function chooseWebhooks(
  given: string | undefined,
  env: Terminal['env'],
): readonly WebhookOptions[] {
  const url = given ?? (env['MILLRACE_WEBHOOK_URL'] || undefined)
  const secret = env['MILLRACE_WEBHOOK_SECRET'] || undefined
  if (url === undefined) return []
  if (secret !== undefined) return [{ url, secret }]
  throw misuse(
    'A webhook needs the secret that its receiver checks: set MILLRACE_WEBHOOK_SECRET to whsec_ and 32 random bytes in base64.',
  )
}

function checkPage(folder: string): string {
  if (existsSync(join(folder, 'index.html'))) return folder
  throw misuse(`--page takes a folder with an index.html, and ${folder} has none; check the path.`)
}

function checkOrigin(text: string): string {
  if (URL.canParse(text) && new URL(text).origin === text) return text
  throw misuse(
    `--allow-origin takes an origin such as https://app.example, not ${JSON.stringify(text)}.`,
  )
}
