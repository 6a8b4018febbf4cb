import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import {
  createWorkspaceFixture,
  type WorkspaceFixture,
} from '../../../test/support/processes/workspace-fixture.ts'
import { resolveTarget } from '../paths/resolve-path.ts'
import { openRoot } from '../paths/root.ts'
import { createPathLock } from '../workspace.ts'
import { replaceFile } from './replace-file.ts'

let fixture: WorkspaceFixture
afterEach(() => fixture.remove())

describe('write_file', () => {
  test('creates a file and its folders, and leaves no temporary file', async () => {
    fixture = createWorkspaceFixture()
    const { text } = await fixture.call('write_file', { path: 'a/b/c.txt', content: 'one\ntwo' })
    expect(text).toBe('Created a/b/c.txt: 2 lines, 7 bytes.')
    expect(fixture.read('a/b/c.txt')).toBe('one\ntwo')
    expect(fixture.names()).toEqual(['a', 'a/b', 'a/b/c.txt'])
  })

  test('uses the singular for one line and one byte', async () => {
    fixture = createWorkspaceFixture()
    const { text } = await fixture.call('write_file', { path: 'x', content: 'x' })
    expect(text).toBe('Created x: 1 line, 1 byte.')
  })

  test('replaces a file and keeps its permissions', async () => {
    fixture = createWorkspaceFixture()
    chmodSync(fixture.put('run.sh', 'old'), 0o751)
    const { text } = await fixture.call('write_file', { path: 'run.sh', content: '' })
    expect(text).toBe('Replaced run.sh: 0 lines, 0 bytes.')
    expect(fixture.read('run.sh')).toBe('')
    expect(statSync(join(fixture.root, 'run.sh')).mode & 0o777).toBe(0o751)
  })

  test('writes through a link inside, which stays a link', async () => {
    fixture = createWorkspaceFixture()
    fixture.put('real.txt', 'old')
    symlinkSync('real.txt', join(fixture.root, 'link'))
    await fixture.call('write_file', { path: 'link', content: 'new' })
    expect(fixture.read('real.txt')).toBe('new')
    expect(fixture.names()).toEqual(['link', 'real.txt'])
  })

  test('rejects folders, pipes and content that is too large', async () => {
    fixture = createWorkspaceFixture({ limits: { maxWriteBytes: 10 } })
    mkdirSync(join(fixture.root, 'folder'))
    fixture.putPipe('pipe')
    const write = async (path: string, content = 'x') =>
      (await fixture.call('write_file', { path, content })).text
    expect(await write('folder')).toContain('"folder" is a folder')
    expect(await write('new/')).toContain("add the file's name")
    expect(await write('.')).toContain("add the file's name")
    expect(await write('pipe')).toContain('"pipe" is a pipe')
    expect(await write('a', 'ü'.repeat(6))).toContain('12 bytes; the maximum is 10')
    expect(fixture.names()).toEqual(['folder', 'pipe'])
  })

  test('writes nothing after a stop, and leaves no temporary file', async () => {
    fixture = createWorkspaceFixture()
    const root = openRoot(fixture.root)
    const target = await resolveTarget(root, 'a.txt')
    const replacement = { bytes: Buffer.from('x'), signal: AbortSignal.abort() }
    await expect(replaceFile(root, target, replacement)).rejects.toThrow()
    expect(fixture.names()).toEqual([])
  })

  test('does not replace a file that was changed since it was read', async () => {
    fixture = createWorkspaceFixture()
    const path = fixture.put('a.txt', 'old')
    const root = openRoot(fixture.root)
    const expected = statSync(path)
    writeFileSync(path, 'other')
    const target = await resolveTarget(root, 'a.txt')
    const { signal } = new AbortController()
    const write = replaceFile(root, target, { bytes: Buffer.from('x'), signal, expected })
    await expect(write).rejects.toThrow('changed in the meantime')
    expect(fixture.names()).toEqual(['a.txt'])
    expect(fixture.read('a.txt')).toBe('other')
  })
})

test('applies all concurrent patches of one file', async () => {
  fixture = createWorkspaceFixture()
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`)
  fixture.put('a.txt', lines.join('\n'))
  symlinkSync('a.txt', join(fixture.root, 'link'))
  const answers = await Promise.all(
    lines.map((line, index) => {
      const path = index % 2 === 0 ? 'a.txt' : 'link'
      const patch = `@@ -${index + 1} +${index + 1} @@\n-${line}\n+${line}!\n`
      return fixture.call('patch_file', { path, patch })
    }),
  )
  expect(answers.map(({ isError }) => isError)).toEqual(lines.map(() => false))
  expect(fixture.read('a.txt')).toBe(lines.map((line) => `${line}!`).join('\n'))
})

test('a lock continues after a failure', async () => {
  fixture = createWorkspaceFixture()
  const lock = createPathLock()
  const order: string[] = []
  const first = lock.hold('a', async () => {
    await Promise.resolve()
    order.push('first')
    throw new Error('no')
  })
  const second = lock.hold('a', async () => order.push('second'))
  await expect(first).rejects.toThrow('no')
  await second
  expect(order).toEqual(['first', 'second'])
})
