import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { bubblewrapMissing } from '../../../../test/support/processes/bubblewrap.ts'
import {
  createWorkspaceFixture,
  type WorkspaceFixture,
} from '../../../../test/support/processes/workspace-fixture.ts'
import { claimOwnFile } from '../../../own-files/index.ts'
import type { WorkspaceOptions } from '../../create-workspace-tools.ts'

const fixtures: WorkspaceFixture[] = []
const bwrap = process.env['BWRAP_PATH']
afterEach(() => {
  for (const fixture of fixtures.splice(0)) fixture.remove()
  if (bwrap === undefined) delete process.env['BWRAP_PATH']
  else process.env['BWRAP_PATH'] = bwrap
})

function open(options: Partial<WorkspaceOptions>): WorkspaceFixture {
  const fixture = createWorkspaceFixture(options)
  fixtures.push(fixture)
  return fixture
}

describe('options of the sandbox', () => {
  test.each([
    [{ sandbox: 'maybe' }, /`sandbox` must be/],
    [{ network: 'some' }, /`network` must be/],
    [{ visible: ['relative'] }, /"relative"; name absolute paths that exist/],
    [{ visible: ['/no/such/folder'] }, /absolute paths that exist/],
    [{ user: { uid: 0, gid: 1 } }, /`uid` and a `gid` above 0/],
    [{ sandbox: () => [], network: 'none' }, /no effect on a custom sandbox/],
    [{ sanbox: 'off' }, /no option `sanbox`. Did you mean `sandbox`/],
  ])('that cannot be met are rejected: %o', (options, message) => {
    expect(() => open(options as Partial<WorkspaceOptions>)).toThrow(message)
  })

  test('that require a missing sandbox are rejected, also no network without one', () => {
    process.env['BWRAP_PATH'] = '/no/such/bwrap'
    expect(() => open({ sandbox: 'require' })).toThrow(
      /cannot be confined. Bubblewrap does not work/,
    )
    expect(() => open({ network: 'none' })).toThrow(/needed for `network: 'none'`/)
    expect(() => open({ network: 'none', sandbox: 'off' })).toThrow(/`sandbox` is off/)
  })

  test('may name a custom program, which wraps the shell', async () => {
    const seen: unknown[] = []
    const { call, root } = open({
      sandbox: (argv, place) => {
        seen.push(place)
        return ['/usr/bin/env', 'WRAPPED=yes', ...argv]
      },
    })
    expect(await call('run_bash', { command: 'echo $WRAPPED' })).toMatchObject({ text: 'yes\n' })
    expect(seen).toEqual([{ root, cwd: root }])
  })
})

describe.skipIf(bubblewrapMissing !== '')(`a workspace in bubblewrap${bubblewrapMissing}`, () => {
  test('shows configured folders read-only', async () => {
    const { outside, call: hidden } = open({ sandbox: 'require' })
    writeFileSync(join(outside, 'tool'), 'here')
    const read = { command: `cat ${outside}/tool; echo x > ${outside}/tool` }
    expect((await hidden('run_bash', read)).text).toContain('No such file')
    const { call } = open({ sandbox: 'require', visible: [outside] })
    expect((await call('run_bash', read)).text).toMatch(/^here.*Read-only/s)
  })

  test('reports the reason why the sandbox did not start', async () => {
    const { call, root } = open({ sandbox: 'require' })
    mkdirSync(join(root, 'bin'))
    const hidden = await call('run_bash', { command: 'true', cwd: 'bin' })
    expect(hidden.isError).toBe(false)
    const { call: broken } = open({ sandbox: 'require', shell: process.execPath })
    expect((await broken('run_bash', { command: 'true' })).text).toContain(
      'could not run the command',
    )
  })

  test('hides files of the server, for any number in one folder', async () => {
    const { call, put } = open({ sandbox: 'require' })
    const release = ['a.db', 'b.db'].map((name) => {
      put(`data/${name}-wal`, 'secret')
      return claimOwnFile(put(`data/${name}`, 'secret'))
    })
    try {
      const command = 'cat data/*; mv data elsewhere; cat elsewhere/*'
      const { text } = await call('run_bash', { command })
      expect(text).toContain('Permission denied')
      expect(text).not.toMatch(/^secret/m)
      expect((await call('read_file', { path: 'data/a.db' })).text).toContain(
        'belongs to the server',
      )
    } finally {
      for (const undo of release) undo()
    }
    expect((await call('run_bash', { command: 'cat data/a.db' })).text).toBe('secret')
  })

  test('prevents commands from writing a journal for a database of the server', async () => {
    const { call, put, root } = open({ sandbox: 'require' })
    const release = claimOwnFile(put('data/a.db', 'pages'))
    try {
      await call('run_bash', { command: 'echo forged > data/a.db-journal' })
    } finally {
      release()
    }
    const journal = join(root, 'data/a.db-journal')
    expect(existsSync(journal) ? readFileSync(journal, 'utf8') : '').toBe('')
  })

  test('mounts folders with a database of the server read-only', async () => {
    const { outside } = open({ sandbox: 'require' })
    mkdirSync(join(outside, 'data'))
    for (const name of ['a.db', 'other']) writeFileSync(join(outside, 'data', name), 'kept')
    const release = claimOwnFile(join(outside, 'data/a.db'))
    const { call } = open({ sandbox: 'require', visible: [outside] })
    try {
      const { text } = await call('run_bash', { command: `echo x > ${outside}/data/other` })
      expect(text).toContain('Read-only')
    } finally {
      release()
    }
    expect(readFileSync(join(outside, 'data/other'), 'utf8')).toBe('kept')
  })

  test('runs commands whose shell prints a warning first', async () => {
    const { call } = open({ sandbox: 'require', env: { LC_ALL: 'xx_YY.UTF-8' } })
    expect(await call('run_bash', { command: 'echo hi; exit 3' })).toMatchObject({
      text: expect.stringContaining('hi\n[exit code 3]'),
    })
  })

  test.skipIf(process.geteuid?.() !== 0)(
    'runs commands as another user if configured',
    async () => {
      const user = { uid: 65_534, gid: 65_534 }
      const { call } = open({ sandbox: 'off', user })
      const { text } = await call('run_bash', { command: 'id -u; cat /proc/$PPID/environ' })
      expect(text).toMatch(/^65534\n.*Permission denied/s)
    },
  )
})
