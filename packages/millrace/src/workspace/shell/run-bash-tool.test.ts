import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createWorkspaceFixture,
  type WorkspaceFixture,
} from '../../../test/support/workspace-fixture.ts'
import type { WorkspaceOptions } from '../index.ts'
import { findShell } from './find-shell.ts'
import { createLastLine } from './last-line.ts'
import { createOutputWindow } from './output-window.ts'
import { toSafeEnvironment } from './safe-environment.ts'

let fixture: WorkspaceFixture
beforeEach(() => open())
afterEach(() => fixture.remove())

function open(options: Partial<WorkspaceOptions> = {}): void {
  fixture?.remove()
  fixture = createWorkspaceFixture(options)
}

function run(command: string, extra: object = {}, signal?: AbortSignal) {
  return fixture.call('run_bash', { command, ...extra }, signal && { signal })
}

/** A process that has ended may be left as a zombie where no one asks for it. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  if (process.platform !== 'linux') return true
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

async function expectGone(...files: string[]): Promise<void> {
  for (const file of files) {
    const pid = Number(fixture.read(file))
    expect(pid).toBeGreaterThan(1)
    for (let round = 0; isRunning(pid) && round < 200; round++) await sleep(10)
    expect(isRunning(pid)).toBe(false)
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5)
}

/** Starts sleepers of three kinds and tells their ids: in front, behind, and deaf to the first request. */
const sleepers = [
  'sleep 300 & echo $! > behind',
  `sh -c 'trap "" TERM; echo $$ > deaf; while :; do sleep 1; done' &`,
  "sh -c 'echo $$ > nested; exec sleep 300' | cat &",
  'while [ ! -s deaf ] || [ ! -s nested ]; do sleep 0.01; done; echo ready',
].join('\n')
const sleeperFiles = ['behind', 'deaf', 'nested']

describe('run_bash', () => {
  test('gives the output of both kinds in order, and nothing else when all is well', async () => {
    const { text, isError } = await run('echo one; echo two >&2; echo three')
    expect(text).toBe('one\ntwo\nthree\n')
    expect(isError).toBe(false)
    expect((await run('true')).text).toBe('(no output)')
  })

  test('a command that fails is an error with its exit code', async () => {
    expect(await run('echo no; exit 3')).toMatchObject({ text: 'no\n[exit code 3]', isError: true })
    expect(await run('false')).toMatchObject({ text: '[exit code 1]', isError: true })
    expect((await run('kill -9 $$')).text).toBe('[ended by SIGKILL]')
    expect((await run('millrace-has-no-such-program')).text).toContain('not found')
  })

  test('runs in the root or a folder below, and nowhere else', async () => {
    mkdirSync(join(fixture.root, 'sub'))
    expect((await run('pwd -P')).text.trim()).toBe(fixture.root)
    expect((await run('pwd -P', { cwd: 'sub' })).text.trim()).toBe(join(fixture.root, 'sub'))
    expect((await run('pwd', { cwd: '..' })).text).toContain('outside the workspace')
    expect((await run('pwd', { cwd: 'missing' })).text).toContain('does not exist')
  })

  test('there is no input and no terminal', async () => {
    expect((await run('cat; test -t 0 || echo none; : < /dev/tty')).text).toContain('none\n')
  })

  test('a long output keeps its start and its end', async () => {
    open({ limits: { maxOutputChars: 100 } })
    const { text } = await run('echo start; yes | head -n 100000; echo end')
    expect(text.startsWith('start\ny\n')).toBe(true)
    expect(text.endsWith('y\nend\n')).toBe(true)
    expect(text).toContain('[… 199910 characters left out …]')
  })

  test('a command that takes too long is ended with all that it started', async () => {
    open({ limits: { commandTimeoutMs: 2000 } })
    const { text, isError } = await run(`${sleepers}\nsleep 300`)
    expect(text).toBe('ready\n[ended after 2000 ms, with all that it had started]')
    expect(isError).toBe(true)
    await expectGone(...sleeperFiles)
  })

  test('the model may ask for another time, within the limit', async () => {
    open({ limits: { commandTimeoutMs: 60_000, maxCommandTimeoutMs: 300 } })
    expect((await run('sleep 300', { timeout_seconds: 100 })).text).toContain('after 300 ms')
    open({ limits: { commandTimeoutMs: 60_000 } })
    expect((await run('sleep 300', { timeout_seconds: 1 })).text).toContain('after 1000 ms')
  })

  test('a run that is stopped ends the command with all that it started', async () => {
    const controller = new AbortController()
    const answer = run(`${sleepers}\nsleep 300`, {}, controller.signal)
    await until(() => existsSync(join(fixture.root, 'nested')))
    await sleep(50)
    controller.abort()
    expect((await answer).text).toContain('stopped')
    await expectGone(...sleeperFiles)
  })

  test('what a command leaves running is ended when it is done', async () => {
    const { text, isError } = await run(`${sleepers}\necho done`)
    expect(text).toBe('ready\ndone\n')
    expect(isError).toBe(false)
    await expectGone(...sleeperFiles)
  })

  test('what runs when the server exits is ended with it', async () => {
    const door = new URL('../index.ts', import.meta.url).href
    const code = `
      import { existsSync } from 'node:fs'
      import { createWorkspaceTools } from ${JSON.stringify(door)}
      const tool = createWorkspaceTools({ root: process.cwd() }).find((t) => t.schema.name === 'run_bash')
      const context = { signal: new AbortController().signal, progress() {} }
      void tool.call({ command: 'sleep 300 & echo $! > pid; sleep 300' }, context)
      setInterval(() => existsSync('pid') && setTimeout(() => process.exit(), 50), 10)
    `
    const loader = import.meta.resolve('tsx')
    const flags = ['--import', loader, '--input-type=module', '--eval', code]
    await promisify(execFile)(process.execPath, flags, { cwd: fixture.root })
    await expectGone('pid')
  })

  test('the server keeps its secrets to itself unless told', async () => {
    process.env['MILLRACE_TEST_API_KEY'] = 'secret'
    try {
      expect((await run('env')).text).not.toContain('secret')
      open({ env: { MILLRACE_TEST_API_KEY: true, EXTRA: 'set', HOME: false } })
      const { text } = await run('env')
      expect(text).toContain('MILLRACE_TEST_API_KEY=secret')
      expect(text).toContain('EXTRA=set')
      expect(text).not.toMatch(/^HOME=/m)
    } finally {
      delete process.env['MILLRACE_TEST_API_KEY']
    }
  })

  test('tells its last line now and then', async () => {
    const told: string[] = []
    await fixture.call(
      'run_bash',
      { command: 'echo first; echo second; sleep 1.5' },
      { progress: (message) => told.push(message) },
    )
    expect(told).toEqual(['second'])
  })

  test('refuses what no system takes', async () => {
    expect((await run('echo \0')).text).toContain('NUL')
    expect((await run('#'.repeat(200_000))).text).toContain('write it to a file')
    open({ shell: '/no/such/shell' })
    expect((await run('true')).text).toContain('"/no/such/shell" does not exist')
  })

  test('runs in sh where there is no bash', async () => {
    expect(await findShell('/no/such/folder:relative')).toBe('/bin/sh')
    open({ shell: '/bin/sh' })
    expect((await run('echo "$0" && nope')).text).toContain('not found')
  })
})

test('an output window keeps start and end however the output is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme' })),
      fc.integer({ min: 2, max: 20 }),
      (parts, max) => {
        const window = createOutputWindow(max)
        for (const part of parts) window.feed(part)
        const whole = parts.join('')
        const kept = window.finish()
        if (whole.length <= max) {
          expect(kept).toBe(whole)
          return
        }
        const [, head = '', omitted, tail = ''] =
          /^(.*?)\n\[… (\d+) characters left out …\]\n(.*)$/s.exec(kept) ?? []
        expect(whole.startsWith(head)).toBe(true)
        expect(whole.endsWith(tail)).toBe(true)
        expect(head.length + tail.length + Number(omitted)).toBe(whole.length)
        expect(head.length + tail.length).toBeGreaterThanOrEqual(max - 2)
      },
    ),
  )
})

test('the last line is told at most once in an interval, and nothing after the end', async () => {
  const told: string[] = []
  const lastLine = createLastLine((line) => told.push(line), { intervalMs: 50 })
  for (let count = 0; count < 20; count++) lastLine.feed(`line ${count}\n`)
  await until(() => told.length > 0)
  lastLine.feed('10 %\r20 %\r')
  await until(() => told.length > 1)
  lastLine.feed('never told')
  lastLine.dispose()
  await sleep(80)
  expect(told).toEqual(['line 19', '20 %'])
})

test('only harmless variables are passed on', () => {
  const own = {
    PATH: '/bin',
    LC_ALL: 'C',
    AWS_SECRET_ACCESS_KEY: 'x',
    NODE_OPTIONS: 'y',
    BASH_ENV: 'z',
  }
  expect(toSafeEnvironment(own)).toEqual({ PATH: '/bin', LC_ALL: 'C' })
  expect(toSafeEnvironment(own, { PATH: '/usr/bin', LC_ALL: false, MISSING: true })).toEqual({
    PATH: '/usr/bin',
  })
})
