import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bubblewrapMissing } from '../../../test/support/processes/bubblewrap.ts'
import { countRunning, untilNoneRuns } from '../../../test/support/processes/processes.ts'
import {
  createWorkspaceFixture,
  type WorkspaceFixture,
} from '../../../test/support/processes/workspace-fixture.ts'
import type { WorkspaceOptions } from '../create-workspace-tools.ts'
import { findShell } from './find-program.ts'
import { createLastLine } from './last-line.ts'
import { createOutputWindow } from './output-window.ts'
import { toSafeEnvironment } from './safe-environment.ts'

let fixture: WorkspaceFixture | undefined
afterEach(() => fixture?.remove())

function reopen(options: Partial<WorkspaceOptions>): void {
  fixture?.remove()
  fixture = createWorkspaceFixture(options)
}

function opened(): WorkspaceFixture {
  if (fixture === undefined) throw new Error('There is no workspace.')
  return fixture
}

const rootOf = (): string => opened().root

function run(command: string, extra: object = {}, signal?: AbortSignal) {
  return opened().call('run_bash', { command, ...extra }, signal && { signal })
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5)
}

/**
 * Starts three sleeping processes whose command lines contain a mark: in the background, ignoring SIGTERM, and in a
 * pipe.
 */
function sleepers(mark: string): string {
  return [
    `sleep ${mark} &`,
    `sh -c ': ${mark}; trap "" TERM; echo > deaf; while :; do sleep 1; done' &`,
    `sh -c 'echo > nested; exec sleep ${mark}' | cat &`,
    'while [ ! -e deaf ] || [ ! -e nested ]; do sleep 0.01; done; echo ready',
  ].join('\n')
}

/** A sleep duration that no other test uses. */
function createMark(): string {
  return `3000${randomInt(1e9)}`
}

const kinds = [
  { sandbox: 'off', missing: '' },
  { sandbox: 'require', missing: bubblewrapMissing },
] as const

for (const { sandbox, missing } of kinds) {
  describe.skipIf(missing !== '')(`run_bash, sandbox ${sandbox}${missing}`, () => {
    suite(sandbox)
  })
}

function suite(sandbox: 'off' | 'require'): void {
  const open = (options: Partial<WorkspaceOptions> = {}): void => reopen({ sandbox, ...options })
  beforeEach(() => open())

  test('returns both outputs in order, and nothing else on success', async () => {
    const { text, isError } = await run('echo one; echo two >&2; echo three')
    expect(text).toBe('one\ntwo\nthree\n')
    expect(isError).toBe(false)
    expect((await run('true')).text).toBe('(no output)')
  })

  test('reports the exit code of a failed command as an error', async () => {
    expect(await run('echo no; exit 3')).toMatchObject({ text: 'no\n[exit code 3]', isError: true })
    expect(await run('false')).toMatchObject({ text: '[exit code 1]', isError: true })
    const killed = { off: '[ended by SIGKILL]', require: '[exit code 137]' }
    expect((await run('kill -9 $$')).text).toBe(killed[sandbox])
    expect((await run('millrace-has-no-such-program')).text).toContain('not found')
  })

  test('runs only in the root or a folder below', async () => {
    mkdirSync(join(rootOf(), 'sub'))
    expect((await run('pwd -P')).text.trim()).toBe(rootOf())
    expect((await run('pwd -P', { cwd: 'sub' })).text.trim()).toBe(join(rootOf(), 'sub'))
    expect((await run('pwd', { cwd: '..' })).text).toContain('outside the workspace')
    expect((await run('pwd', { cwd: 'missing' })).text).toContain('does not exist')
  })

  test('provides no input and no terminal', async () => {
    expect((await run('cat; test -t 0 || echo none; : < /dev/tty')).text).toContain('none\n')
  })

  test('keeps the start and the end of a long output', async () => {
    open({ limits: { maxOutputChars: 100 } })
    const { text } = await run('echo start; yes | head -n 100000; echo end')
    expect(text.startsWith('start\ny\n')).toBe(true)
    expect(text.endsWith('y\nend\n')).toBe(true)
    expect(text).toContain('[… 199910 characters omitted …]')
  })

  test('ends a command and its children after the timeout', async () => {
    open({ limits: { commandTimeoutMs: 2000 } })
    const mark = createMark()
    const { text, isError } = await run(`${sleepers(mark)}\nsleep ${mark}`)
    expect(text).toBe('ready\n[ended after 2000 ms, with all its child processes]')
    expect(isError).toBe(true)
    expect(await untilNoneRuns(mark)).toBe(0)
  })

  test('accepts another timeout within the limit', async () => {
    open({ limits: { commandTimeoutMs: 60_000, maxCommandTimeoutMs: 300 } })
    expect((await run('sleep 300', { timeout_seconds: 100 })).text).toContain('after 300 ms')
    open({ limits: { commandTimeoutMs: 60_000 } })
    expect((await run('sleep 300', { timeout_seconds: 1 })).text).toContain('after 1000 ms')
  })

  test('ends a command and its children when the run is stopped', async () => {
    const mark = createMark()
    const controller = new AbortController()
    const answer = run(`${sleepers(mark)}\nsleep ${mark}`, {}, controller.signal)
    await until(() => existsSync(join(rootOf(), 'nested')))
    expect(countRunning(mark)).toBeGreaterThan(2)
    await sleep(50)
    controller.abort()
    expect((await answer).text).toContain('stopped')
    expect(await untilNoneRuns(mark)).toBe(0)
  })

  test('ends background processes when the command exits', async () => {
    const mark = createMark()
    const { text, isError } = await run(`${sleepers(mark)}\necho done`)
    expect(text).toBe('ready\ndone\n')
    expect(isError).toBe(false)
    expect(await untilNoneRuns(mark)).toBe(0)
  })

  test('ends running commands when the server exits', async () => {
    const mark = createMark()
    const door = new URL('../create-workspace-tools.ts', import.meta.url).href
    const code = `
      import { existsSync } from 'node:fs'
      import { createWorkspaceTools } from ${JSON.stringify(door)}
      const tool = createWorkspaceTools({ root: process.cwd(), sandbox: '${sandbox}' }).find((t) => t.schema.name === 'run_bash')
      const context = { signal: new AbortController().signal, progress() {} }
      void tool.call({ command: 'sleep ${mark} & echo > started; sleep ${mark}' }, context)
      setInterval(() => existsSync('started') && setTimeout(() => process.exit(), 50), 10)
    `
    const loader = import.meta.resolve('tsx')
    const flags = ['--import', loader, '--input-type=module', '--eval', code]
    await promisify(execFile)(process.execPath, flags, { cwd: rootOf() })
    expect(await untilNoneRuns(mark)).toBe(0)
  })

  test('does not pass secrets of the server by default', async () => {
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

  test('reports the last line periodically', async () => {
    const reported: string[] = []
    await opened().call(
      'run_bash',
      { command: 'echo first; echo second; sleep 1.5' },
      { progress: (message) => reported.push(message) },
    )
    expect(reported).toEqual(['second'])
  })

  test('rejects commands that no system accepts', async () => {
    expect((await run('echo \0')).text).toContain('NUL')
    expect((await run('#'.repeat(200_000))).text).toContain('write it to a file')
    open({ shell: '/no/such/shell' })
    expect((await run('true')).text).toContain('"/no/such/shell" does not exist')
  })

  test('runs sh if bash is missing', async () => {
    expect(findShell('/no/such/folder:relative')).toBe('/bin/sh')
    open({ shell: '/bin/sh' })
    expect((await run('echo "$0" && nope')).text).toContain('not found')
  })
}

test('an output window keeps start and end for any chunks', () => {
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
          /^(.*?)\n\[… (\d+) characters omitted …\]\n(.*)$/s.exec(kept) ?? []
        expect(whole.startsWith(head)).toBe(true)
        expect(whole.endsWith(tail)).toBe(true)
        expect(head.length + tail.length + Number(omitted)).toBe(whole.length)
        expect(head.length + tail.length).toBeGreaterThanOrEqual(max - 2)
      },
    ),
  )
})

test('the last line is reported at most once in an interval, and not after the end', async () => {
  const reported: string[] = []
  const lastLine = createLastLine((line) => reported.push(line), { intervalMs: 50 })
  for (let count = 0; count < 20; count++) lastLine.feed(`line ${count}\n`)
  await until(() => reported.length > 0)
  lastLine.feed('10 %\r20 %\r')
  await until(() => reported.length > 1)
  lastLine.feed('never reported')
  lastLine.dispose()
  await sleep(80)
  expect(reported).toEqual(['line 19', '20 %'])
})

test('inherits only harmless variables', () => {
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
