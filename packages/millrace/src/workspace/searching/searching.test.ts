import { mkdirSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createWorkspaceFixture,
  type WorkspaceFixture,
} from '../../../test/support/processes/workspace-fixture.ts'
import type { WorkspaceLimits } from '../limits.ts'
import { compileGlob } from './compile-pattern.ts'

let fixture: WorkspaceFixture
beforeEach(() => open())
afterEach(() => fixture.remove())

function open(limits: Partial<WorkspaceLimits> = {}): void {
  fixture?.remove()
  fixture = createWorkspaceFixture({ limits })
}

async function say(name: string, input: object): Promise<string> {
  return (await fixture.call(name, input)).text
}

function putAll(...paths: string[]): void {
  for (const path of paths) fixture.put(path, `content of ${path}\n`)
}

describe('list_dir', () => {
  test('shows a sorted tree of the given depth', async () => {
    putAll('b.txt', 'a/c/deep.txt', 'a/b.txt', 'Z')
    mkdirSync(join(fixture.root, 'empty'))
    expect(await say('list_dir', {})).toBe('./\n  Z\n  a/\n    b.txt\n    c/\n  b.txt\n  empty/')
    expect(await say('list_dir', { path: 'a', depth: 9 })).toBe('a/\n  b.txt\n  c/\n    deep.txt')
  })

  test('shows the targets of links and follows none', async () => {
    putAll('a/b.txt')
    symlinkSync('a', join(fixture.root, 'in'))
    symlinkSync('/etc', join(fixture.root, 'out'))
    symlinkSync('nowhere', join(fixture.root, 'broken'))
    fixture.putPipe('pipe')
    expect(await say('list_dir', { depth: 3 })).toBe(
      [
        './',
        '  a/',
        '    b.txt',
        '  broken -> (nothing)',
        '  in -> a',
        '  out -> (outside the workspace)',
        '  pipe (not a regular file)',
      ].join('\n'),
    )
    expect(await say('list_dir', { path: 'out' })).toContain('leads out of the workspace')
    expect(await say('list_dir', { path: 'in' })).toBe('in/\n  b.txt')
  })

  test('omits .git and node_modules by default', async () => {
    putAll('.git/config', 'node_modules/x/index.js', 'a')
    const short = './\n  .git/ (not shown)\n  a\n  node_modules/ (not shown)'
    expect(await say('list_dir', {})).toBe(short)
    expect(await say('list_dir', { path: 'node_modules' })).toBe(
      'node_modules/\n  x/\n    index.js',
    )
    expect(await say('list_dir', { all: true })).toContain('config')
  })

  test('shows siblings of a large folder, and reports omitted entries', async () => {
    open({ maxListEntries: 6, maxOutputChars: 1000 })
    putAll(...Array.from({ length: 9 }, (_, index) => `a/${index}`), 'b/one', 'c')
    const text = await say('list_dir', {})
    expect(text).toContain('  b/')
    expect(text).toContain('  c')
    expect(text).toContain('[not all is shown')
    open({ maxOutputChars: 30 })
    putAll(...Array.from({ length: 9 }, (_, index) => `file-${index}`))
    expect(await say('list_dir', {})).toMatch(/more characters omitted\]$/)
  })

  test('rejects a file', async () => {
    putAll('a')
    expect(await say('list_dir', { path: 'a' })).toContain('"a" is a file, not a folder')
    expect(await say('list_dir', { path: 'b' })).toContain('"b" does not exist')
  })
})

describe('glob', () => {
  test('returns the newest files first, relative to the root', async () => {
    putAll('src/old.ts', 'src/new.ts', 'src/deep/newest.ts', 'src/other.js')
    utimesSync(join(fixture.root, 'src/old.ts'), 1, 1)
    utimesSync(join(fixture.root, 'src/new.ts'), 2, 2)
    utimesSync(join(fixture.root, 'src/deep/newest.ts'), 3, 3)
    const expected = 'src/deep/newest.ts\nsrc/new.ts\nsrc/old.ts'
    expect(await say('glob', { pattern: '**/*.ts' })).toBe(expected)
    expect(await say('glob', { pattern: '*.ts' })).toBe(expected)
    expect(await say('glob', { pattern: 'deep/*', path: 'src' })).toBe('src/deep/newest.ts')
    expect(await say('glob', { pattern: './src/*.{ts,js}', limit: 1 })).toBe(
      'src/other.js\n[2 more; narrow the pattern or raise limit]',
    )
    expect(await say('glob', { pattern: '*.py' })).toBe('No files match.')
  })

  test('returns fifty files by default, and never more than its limits', async () => {
    open({ maxGlobResults: 70 })
    putAll(...Array.from({ length: 80 }, (_, index) => `f${index}`))
    const count = async (input: object) =>
      (await say('glob', { pattern: '*', ...input })).match(/^f/gm)?.length
    expect(await count({})).toBe(50)
    expect(await count({ limit: 60 })).toBe(60)
    expect(await count({ limit: 1000 })).toBe(70)
    open({ maxWalkEntries: 10 })
    putAll(...Array.from({ length: 20 }, (_, index) => `f${index}`))
    const text = await say('glob', { pattern: '*' })
    expect(text.match(/^f/gm)).toHaveLength(10)
    expect(text).toContain('ended early')
  })

  test('finds hidden files and links, and does not enter links, .git and node_modules', async () => {
    putAll('.hidden', '.git/config', 'sub/node_modules/x', 'sub/a')
    symlinkSync('sub', join(fixture.root, 'link'))
    const names = (await say('glob', { pattern: '**' })).split('\n').sort()
    expect(names).toEqual(['.hidden', 'link', 'sub/a'])
    const all = (await say('glob', { pattern: '**', all: true })).split('\n').sort()
    expect(all).toEqual(['.git/config', '.hidden', 'link', 'sub/a', 'sub/node_modules/x'])
    expect(await say('glob', { pattern: '*', path: 'sub/node_modules' })).toBe('sub/node_modules/x')
  })

  test('stops a pattern that takes too long', async () => {
    open({ searchTimeoutMs: 400 })
    fixture.put('a'.repeat(200), '')
    expect(compileGlob('*a*').test('bab')).toBe(true)
    expect(await say('glob', { pattern: `${'*a'.repeat(30)}b` })).toContain('ended early')
    expect(await say('glob', { pattern: 'x'.repeat(2000) })).toContain('the maximum is 1000')
  })
})

describe('grep_search', () => {
  test('returns matching lines by file', async () => {
    fixture.put('a.txt', 'one\ntwo needle\nthree\n')
    fixture.put('sub/b.txt', 'needle\r\nNEEDLE\r\n')
    expect(await say('grep_search', { pattern: 'needle$' })).toBe(
      'a.txt\n2: two needle\n\nsub/b.txt\n1: needle',
    )
    expect(await say('grep_search', { pattern: 'NEEDLE', ignore_case: true, path: 'sub' })).toBe(
      'sub/b.txt\n1: needle\n2: NEEDLE',
    )
    expect(await say('grep_search', { pattern: '(?i)^NEEdle', path: 'sub/b.txt' })).toContain('2:')
    expect(await say('grep_search', { pattern: 'nothing' })).toBe('No line matches in 2 files.')
  })

  test('shows context, joined if it overlaps', async () => {
    fixture.put('a', '1\n2\nx3\n4\nx5\n6\n7\n8\n9\nx10\n')
    expect(await say('grep_search', { pattern: 'x', context: 1 })).toBe(
      'a\n2- 2\n3: x3\n4- 4\n5: x5\n6- 6\n--\n9- 9\n10: x10',
    )
  })

  test('searches only files that match the glob', async () => {
    putAll('a.ts', 'sub/b.ts', 'sub/c.md')
    expect(await say('grep_search', { pattern: 'content', glob: '*.ts' })).toContain('sub/b.ts')
    expect(await say('grep_search', { pattern: 'content', glob: 'sub/*.md' })).toBe(
      'sub/c.md\n1: content of sub/c.md',
    )
  })

  test('omits links, binary and large files, .git and node_modules', async () => {
    open({ maxSearchFileBytes: 100 })
    putAll('.git/x', 'node_modules/x', 'good')
    fixture.put('binary', 'content\0')
    fixture.put('large', 'content '.repeat(20))
    symlinkSync('good', join(fixture.root, 'link'))
    symlinkSync('/etc', join(fixture.root, 'out'))
    fixture.putPipe('pipe')
    expect(await say('grep_search', { pattern: 'content' })).toBe(
      'good\n1: content of good\n[1 files were skipped: too large or unreadable]',
    )
    expect(await say('grep_search', { pattern: 'content', all: true })).toContain('.git/x')
  })

  test('applies its limits of matches, output and line length', async () => {
    open({ maxMatches: 5, maxLineChars: 1000 })
    fixture.put('a', 'x\n'.repeat(100))
    const text = await say('grep_search', { pattern: 'x', limit: 100 })
    expect(text).toBe(
      'a\n1: x\n2: x\n3: x\n4: x\n5: x\n[ended at 5 matching lines; narrow the pattern or raise limit]',
    )
    fixture.put('a', `${'y'.repeat(500)}needle${'y'.repeat(500)}\n${'z'.repeat(1000)}needle\n`)
    const long = await say('grep_search', { pattern: 'needle' })
    expect(long).toBe(`a\n1: …${'y'.repeat(80)}needle${'y'.repeat(214)}…`)
    open({ maxOutputChars: 200 })
    fixture.put('a', 'some words of a line\n'.repeat(100))
    expect((await say('grep_search', { pattern: 'words' })).length).toBeLessThan(400)
  })

  test('ends an endless pattern, which does not block the process', async () => {
    open({ searchTimeoutMs: 500 })
    fixture.put('b.txt', `${'a'.repeat(60)}b\n`)
    let ticks = 0
    const ticking = setInterval(() => (ticks += 1), 10)
    const { text, isError } = await fixture.call('grep_search', { pattern: '^(a+)+$' })
    clearInterval(ticking)
    expect(isError).toBe(true)
    expect(text).toContain('timed out after 500 ms')
    expect(ticks).toBeGreaterThan(5)
  })

  test('returns the matches before the timeout', async () => {
    open({ searchTimeoutMs: 500 })
    for (let index = 0; index < 20; index++) fixture.put(`a${index}`, 'aaa\n')
    fixture.put('z/b.txt', `${'a'.repeat(60)}b\n`)
    const text = await say('grep_search', { pattern: '^(a+)+$' })
    expect(text).toContain('a0\n1: aaa')
    expect(text).toContain('ended early')
  })

  test('stops with the run', async () => {
    fixture.put('b.txt', `${'a'.repeat(60)}b\n`)
    const controller = new AbortController()
    const answer = fixture.call(
      'grep_search',
      { pattern: '^(a+)+$' },
      { signal: controller.signal },
    )
    setTimeout(() => controller.abort(), 100)
    expect((await answer).text).toContain('stopped')
  })

  test('explains an invalid pattern', async () => {
    expect(await say('grep_search', { pattern: 'a(' })).toContain(
      'is not a JavaScript regular expression',
    )
    expect(await say('grep_search', { pattern: 'x'.repeat(1001) })).toContain('the maximum is 1000')
    fixture.put('a', 'a-b 😀\n')
    expect(await say('grep_search', { pattern: '\\-b .$' })).toContain('No line matches')
    expect(await say('grep_search', { pattern: 'b .$' })).toContain('1: a-b 😀')
  })
})
