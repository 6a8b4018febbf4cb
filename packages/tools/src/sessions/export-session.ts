import { DONE_FRAME, encodeSse, MillraceError } from 'millrace'
import { importSession, exportSession as readArchive } from 'millrace/server'
import type { LogEntry, SessionInfo, Store } from 'millrace/store'
import type { TextOutput } from '../convert/stage.ts'
import { createFileOutput } from '../cli/file-output.ts'
import type { SessionCommand, SessionTask } from './session-command.ts'
import type { SessionViews } from './session-views.ts'
import { createReadStream } from 'node:fs'
import { createLineReader } from '../cli/line-reader.ts'

const PAGE = 500
const PAGE_RUNS = 20

/**
 * `millrace sessions export ID`: the log as a file for `convert` and `verify`, or all data of the session as one JSON
 * document.
 */
export const exportSession: SessionCommand = {
  needsSession: true,
  run: async (task) => {
    const { store, views, terminal, session, options } = task
    if (options.format === 'archive') return exportArchive(task)
    const { status, earliest } = await views.show(session)
    const info = await store.info(session)
    if (info === undefined) return 1
    const output = options.out === undefined ? terminal : createFileOutput(options.out)
    try {
      if (options.format === 'sse') await writeFrames(store, info, status, output)
      else await writeDocument(task, info, output)
    } finally {
      if ('close' in output) await output.close()
    }
    if (options.format === 'sse') await reportFiles(task)
    if (earliest > 1) {
      terminal.complain(
        `The frames before ${earliest} were trimmed; check the rest with \`millrace verify --resumed\`.`,
      )
    }
    return 0
  },
}

/** Writes all data of the session, as `import` reads it. */
async function exportArchive({ store, terminal, session, options }: SessionTask): Promise<number> {
  const output = options.out === undefined ? terminal : createFileOutput(options.out)
  try {
    for await (const line of readArchive(store, session)) await output.write(line)
  } finally {
    if ('close' in output) await output.close()
  }
  return 0
}

async function reportFiles({ store, session, terminal }: SessionTask): Promise<void> {
  const { length } = await store.fileIds(session)
  if (length === 0) return
  const files =
    length === 1 ? 'The file of this session is' : `The ${length} files of this session are`
  terminal.complain(`${files} not included; use --format json.`)
}

async function writeFrames(
  store: Store,
  info: SessionInfo,
  status: string,
  output: TextOutput,
): Promise<void> {
  const decoder = new TextDecoder()
  for await (const page of readLog(store, info)) {
    await output.write(
      page.map(({ id, line }) => encodeSse({ id, data: decoder.decode(line) })).join(''),
    )
  }
  // A run that is active or was lost has no end yet.
  if (status !== 'running' && status !== 'interrupted') await output.write(DONE_FRAME)
}

async function writeDocument(
  { store, views, session }: SessionTask,
  info: SessionInfo,
  output: TextOutput,
): Promise<void> {
  const shown = JSON.stringify(await views.show(session))
  await output.write(`{"session":${shown},\n"conversations":[`)
  await writeItems(readHistory(views, session), output)
  await output.write('],\n"messages":[')
  await writeItems(readMessages(store, info), output)
  await output.write('],\n"files":[')
  await writeItems(readFiles(store, session), output)
  await output.write(']}\n')
}

/** Writes the items of an array one by one, so that only one is in memory. */
async function writeItems(items: AsyncIterable<string>, output: TextOutput): Promise<void> {
  let separator = '\n'
  for await (const json of items) {
    await output.write(separator + json)
    separator = ',\n'
  }
}

async function* readMessages(store: Store, info: SessionInfo): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const page of readLog(store, info)) {
    yield page.map(({ id, line }) => `{"id":${id},"message":${decoder.decode(line)}}`).join(',\n')
  }
}

/** Yields uploads, and files that tools and providers have created. */
async function* readFiles(store: Store, session: string): AsyncGenerator<string> {
  for (const id of await store.fileIds(session)) {
    const file = await store.file(session, id)
    if (file === undefined) continue
    const { mediaType: mime_type, filename, bytes } = file
    const data = Buffer.from(bytes).toString('base64')
    yield JSON.stringify({ id, filename, mime_type, size_bytes: bytes.length, data })
  }
}

/** Yields the current log in pages. */
async function* readLog(
  store: Store,
  { session, earliest, tail }: SessionInfo,
): AsyncGenerator<readonly LogEntry[]> {
  let after = earliest - 1
  while (after < tail) {
    const page = await store.read(session, after, Math.min(PAGE, tail - after))
    if (page.length === 0) return
    yield page
    after = page.at(-1)?.id ?? tail
  }
}

/** Yields the history, newest run first. */
async function* readHistory(views: SessionViews, session: string): AsyncGenerator<string> {
  let before: number | undefined
  for (;;) {
    const page = await views.history(session, { limit: PAGE_RUNS, before })
    for (const run of page) yield JSON.stringify(run)
    before = page.at(-1)?.sequence_number
    if (page.length < PAGE_RUNS) return
  }
}

/** Maximum length of a line, which contains at most one file in base64. */
const MAX_LINE_CHARS = 268_435_456

/** `millrace sessions import FILE`: imports the archive of a session into the store. */
export const importArchive: SessionCommand = {
  needsSession: true,
  createsStore: true,
  run: async ({ store, terminal, session: file, options: { json, as } }) => {
    const input = file === '-' ? terminal.input : readFrom(file)
    const asked = as === undefined ? {} : { as }
    const imported = await importSession(store, readLines(input), asked)
    const { session, frames, files } = imported
    if (json) terminal.print(JSON.stringify(imported))
    else terminal.print(`${session} was imported with ${frames} frames and ${files} files.`)
    return 0
  },
}

async function* readFrom(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file) as AsyncIterable<Uint8Array>
  } catch (cause) {
    throw new MillraceError('not_found', `${file} cannot be read; check the path.`, { cause })
  }
}

/** Yields the lines of a file on demand. */
async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let lines: string[] = []
  const reader = createLineReader((line) => lines.push(line), { maxLineChars: MAX_LINE_CHARS })
  for await (const bytes of input) {
    reader.feed(bytes)
    yield* lines
    lines = []
  }
  reader.finish()
  yield* lines
}
