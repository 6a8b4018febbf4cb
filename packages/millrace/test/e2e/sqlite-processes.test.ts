import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createInterface } from 'node:readline'
import { afterEach, expect, test } from 'vitest'
import { isMillraceError } from '../../src/errors/index.ts'
import { createSqliteStore } from '../../src/stores/sqlite/index.ts'
import type { Store } from '../../src/stores/port/index.ts'
import { writerOf } from '../support/stores/sqlite/branch-names.ts'
import { numberedLine, numberedLines } from '../support/stores/sqlite/numbered-lines.ts'
import { readNumbered } from '../support/stores/sqlite/read-numbered.ts'
import { temporaryPaths } from '../support/stores/sqlite/temporary-store.ts'

const nextPath = temporaryPaths()
const children = new Set<ChildProcess>()
afterEach(() => children.forEach((child) => child.kill('SIGKILL')))

interface Writer {
  readonly child: ChildProcess
  /** Its output so far. */
  readonly said: string[]
  /** Resolves when it has printed something. */
  readonly begun: Promise<void>
  /** Resolves with its stderr. */
  readonly ended: Promise<string>
}

const appending = new URL('../support/stores/sqlite/append-forever.ts', import.meta.url)
const forking = new URL('../support/stores/sqlite/fork-forever.ts', import.meta.url)
const fighting = new URL('../support/stores/sqlite/fight-for-session.ts', import.meta.url)

function start(script: URL, ...args: readonly string[]): Writer {
  const loader = ['--import', import.meta.resolve('tsx')]
  const child = spawn(process.execPath, [...loader, fileURLToPath(script), ...args])
  children.add(child)
  const said: string[] = []
  const begun = new Promise<void>((resolve) => {
    createInterface(child.stdout).on('line', (line) => resolve(void said.push(line)))
  })
  let errors = ''
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()))
  const ended = new Promise<string>((resolve) => {
    child.on('close', () => {
      children.delete(child)
      resolve(errors)
    })
  })
  return { child, said, begun, ended }
}

test('after kill -9 at any time, all acknowledged data are present, without gaps', async () => {
  const rounds = process.env['MILLRACE_NIGHTLY'] === '1' ? 200 : 8
  const path = nextPath()
  const sessions = ['a', 'b', 'c']
  for (let round = 1; round <= rounds; round++) {
    const writer = start(appending, path, ...sessions)
    await Promise.race([writer.begun, writer.ended])
    await sleep(Math.random() * 120)
    writer.child.kill('SIGKILL')
    expect(await writer.ended).toBe('')
    const store = createSqliteStore({ path })
    for (const session of sessions) {
      const acknowledged = writer.said.filter((line) => line.startsWith(session)).at(-1)
      const [, tail = 0, epoch = round] = acknowledged?.split(' ').map(Number) ?? []
      const info = await store.info(session)
      expect(epoch).toBe(round)
      expect(info?.epoch).toBe(round)
      expect(info?.tail).toBeGreaterThanOrEqual(tail)
      expect(await readNumbered(store, session)).toBe(info?.tail)
      // Each append had its head and its parts, so that all three are stored together.
      const stored = info?.tail ? `{"tail":${info.tail}}` : undefined
      expect(info?.head).toBe(stored)
      for (const collection of ['appends', 'last']) {
        const [part] = await store.parts(session, collection, { before: Infinity, limit: 1 })
        expect([part?.body, part?.frame ?? 0]).toEqual([stored, info?.tail])
      }
    }
    await store.close()
  }
}, 600_000)

test('after kill -9 at any time, every branch is complete and reads its shared frames', async () => {
  const rounds = process.env['MILLRACE_NIGHTLY'] === '1' ? 200 : 8
  const path = nextPath()
  for (let round = 1; round <= rounds; round++) {
    const writer = start(forking, path, 'p')
    await Promise.race([writer.begun, writer.ended])
    await sleep(Math.random() * 120)
    writer.child.kill('SIGKILL')
    expect(await writer.ended).toBe('')
    const store = createSqliteStore({ path })
    const { rows } = await store.list({ limit: 1_000, offset: 0 })
    for (const { session, tail } of rows) {
      const page = await store.read(session, 0, tail + 1)
      expect(page.length).toBe(tail)
      for (const { id, line } of page)
        expect(Buffer.from(line)).toEqual(Buffer.from(numberedLine(writerOf(session, id), id)))
      if (session === 'p') continue
      const [part] = await store.parts(session, 'lane:0', { after: -1, limit: 1 })
      const info = await store.info(session)
      expect([info?.head, part?.body]).toEqual([session, session])
      expect(info?.parent).toMatchObject({ frame: Number(session.split('/').at(-1)) })
    }
    for (const [session, tail] of acknowledgedIn(writer.said))
      expect(rows.find((row) => row.session === session)?.tail).toBeGreaterThanOrEqual(tail)
    await store.close()
  }
}, 600_000)

/** The tails of the sessions that were not dropped after that. */
function acknowledgedIn(said: readonly string[]): ReadonlyMap<string, number> {
  const tails = new Map<string, number>()
  for (const line of said) {
    const [what, session = '', tail] = line.split(' ')
    if (what === 'has') tails.set(session, Number(tail))
    else tails.delete(session)
  }
  return tails
}

test('processes that compete for a session fence each other', async () => {
  const path = nextPath()
  const store = createSqliteStore({ path })
  await store.open('a')
  const writers = ['left', 'right'].map((name) => start(fighting, path, 'a', name, '15'))
  let isOver = false
  const ended = Promise.all(writers.map((writer) => writer.ended)).finally(() => (isOver = true))
  // The last process has no competitor for the session.
  while (!isOver) {
    await sleep(100)
    await store.open('a')
  }
  expect(await ended).toEqual(['', ''])
  const log = await readTexts(store, 'a')
  const epochs = log.map((text) => Number(text.split(' ')[0]))
  expect(epochs).toEqual(epochs.toSorted((a, b) => a - b))
  const acknowledged = writers.flatMap(({ said }) => said.map((line) => line.split(' ')))
  for (const [id, ...text] of acknowledged) expect(log[Number(id) - 1]).toBe(text.join(' '))
  expect(new Set(log.map((text) => text.split(' ')[1]))).toEqual(new Set(['left', 'right']))
  await store.close()
}, 120_000)

async function readTexts(store: Store, session: string): Promise<string[]> {
  const texts: string[] = []
  for (;;) {
    const page = await store.read(session, texts.length, 500)
    if (page.length === 0) return texts
    for (const { line } of page) texts.push(Buffer.from(line).toString())
  }
}

const silently = (command: string, ...args: readonly string[]): void =>
  void execFileSync(command, args, { stdio: 'ignore' })

/** A disk of four megabytes, if this user may create one. */
function mountSmallDisk(folder: string): boolean {
  mkdirSync(folder, { recursive: true })
  try {
    silently('mount', '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder)
    return true
  } catch {
    return false
  }
}

test('a full disk is reported, loses no acknowledged data, and space can be freed', async (context) => {
  const folder = dirname(nextPath())
  if (!mountSmallDisk(folder)) return context.skip('this user may not mount a small disk')
  try {
    const path = join(folder, 'store.db')
    writeFileSync(join(folder, 'ballast'), Buffer.alloc(1_500_000))
    const store = createSqliteStore({ path, groupMs: 0 })
    await store.open('a')
    let tail = 0
    const append = async () => {
      const lines = numberedLines('a', tail, tail + 100, 2_000)
      ;({ tail } = await store.append({ session: 'a', epoch: 1, tail, lines }))
    }
    const error: unknown = await (async () => {
      for (;;) await append()
    })().catch((thrown: unknown) => thrown)
    expect(isMillraceError(error) && error.code).toBe('store_unavailable')
    expect(String(error)).toContain('disk of the store is full')
    expect(tail).toBeGreaterThan(0)
    expect(await readNumbered(store, 'a', { padding: 2_000 })).toBe(tail)
    rmSync(join(folder, 'ballast'))
    await append()
    await store.ping()
    expect(await readNumbered(store, 'a', { padding: 2_000 })).toBe(tail)
    await store.close()
    const again = createSqliteStore({ path })
    expect(await readNumbered(again, 'a', { padding: 2_000 })).toBe(tail)
    await again.close()
  } finally {
    silently('umount', '-l', folder)
  }
}, 60_000)
