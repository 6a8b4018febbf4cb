import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { MillraceError } from 'millrace'
import { decodeStoreAddress, openStore } from 'millrace/node'
import { type Command, type Terminal, misuse, chooseStore, storeUsage } from '../command.ts'
import { decodeWholeNumber } from '../decode-options.ts'
import { openParts } from '../open-parts.ts'
import { decodeAge, deleteSession, pruneSessions } from '../../sessions/remove-sessions.ts'
import { exportSession, importArchive } from '../../sessions/export-session.ts'
import { listSessions } from '../../sessions/list-sessions.ts'
import type { SessionCommand, SessionOptions } from '../../sessions/session-command.ts'
import { createSessionViews } from '../../sessions/session-views.ts'
import { showSession } from '../../sessions/show-session.ts'

const usage = `list | show ID | export ID | import FILE | delete ID | prune --older-than AGE

  list           lists the sessions, most recently written first; --limit 50, --offset 0
  show           shows the state of a session, and its last runs
  export         writes its log as server-sent events, for \`convert\` and \`verify\`
  import         reads an archive into the store, from a file or, as -, from standard input; the store is
                 created if there is none
  delete         deletes it with its log, history and files; --force also during a run
  prune          deletes sessions without writes for this long, such as 30d or 12h

  --store        ${storeUsage}
  --json         prints JSON
  --format       format of an export: sse, json for one document with history and files, or archive
                 for all stored data, which \`import\` reads into any store
  --out          the output file of an export; default: standard output
  --as           the UUID of an imported session, instead of its own id`

const actions: Readonly<Record<string, SessionCommand>> = {
  list: listSessions,
  show: showSession,
  export: exportSession,
  import: importArchive,
  delete: deleteSession,
  prune: pruneSessions,
}

/** `millrace sessions`: the sessions of a store. */
export const sessions: Command = {
  usage,
  run: async (args, terminal) => {
    const { action, session, storeAddress, options } = readOptions(args, terminal.env)
    checkPresence(storeAddress, action)
    const { opened, close } = await openParts(async (onClose) => {
      const onError = (error: unknown): void => terminal.complain(String(error))
      const { createsStore: createTables = false } = action
      const store = await openStore(storeAddress, { onError, shared: true, createTables })
      onClose(store.close)
      const views = createSessionViews(store)
      onClose(views.close)
      return { store, views }
    })
    try {
      return await action.run({ ...opened, terminal, session, options })
    } finally {
      await close()
    }
  },
}

/** Reading must not create a store. */
function checkPresence(storeAddress: string, { createsStore = false }: SessionCommand): void {
  const address = decodeStoreAddress(storeAddress)
  if (address.kind === 'memory') {
    throw misuse('Sessions in memory exist only in their server; name another store with --store.')
  }
  if (createsStore || address.kind !== 'sqlite' || existsSync(address.path)) return
  throw new MillraceError(
    'not_found',
    `There is no store ${address.path}; no server has run with it, or not in this folder. --store names another one.`,
  )
}

function readOptions(args: readonly string[], env: Terminal['env']) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      store: { type: 'string' },
      json: { type: 'boolean', default: false },
      limit: { type: 'string', default: '50' },
      offset: { type: 'string', default: '0' },
      format: { type: 'string', default: 'sse' },
      out: { type: 'string' },
      as: { type: 'string' },
      force: { type: 'boolean', default: false },
      'older-than': { type: 'string' },
    },
  })
  const [name = 'list', session = '', extra] = positionals
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined)
    throw misuse(`There is no action ${name}; use one of ${Object.keys(actions).join(', ')}.`)
  if (action.needsSession === (session === '')) {
    throw misuse(
      action.needsSession
        ? `Name the ${name === 'import' ? 'file' : 'session'} to ${name}.`
        : `${name} takes no session.`,
    )
  }
  if (extra !== undefined) throw misuse(`${name} takes only one argument.`)
  const { json, out, force, as, 'older-than': age } = values
  const options: SessionOptions = {
    json,
    out,
    force,
    as: as === undefined ? undefined : decodeSessionId(as),
    limit: decodeWholeNumber('--limit', values.limit),
    offset: values.offset === '0' ? 0 : decodeWholeNumber('--offset', values.offset),
    format: decodeFormat(values.format),
    olderThanMs: age === undefined ? undefined : decodeAge('--older-than', age),
  }
  return { action, session, storeAddress: chooseStore(values.store, env), options }
}

function decodeSessionId(text: string): string {
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return text.toLowerCase()
  throw misuse(`--as must be a UUID, not ${JSON.stringify(text)}.`)
}

function decodeFormat(text: string): SessionOptions['format'] {
  if (text === 'sse' || text === 'json' || text === 'archive') return text
  throw misuse(`--format must be sse, json or archive, not ${JSON.stringify(text)}.`)
}
