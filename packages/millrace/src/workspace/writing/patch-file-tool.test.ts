import { createTwoFilesPatch } from 'diff'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createWorkspaceFixture,
  type WorkspaceFixture,
} from '../../../test/support/processes/workspace-fixture.ts'
import { applyHunks } from './apply-hunks.ts'
import { readPatch } from './read-patch.ts'

let fixture: WorkspaceFixture
beforeEach(() => {
  fixture = createWorkspaceFixture()
})
afterEach(() => fixture.remove())

const numbers = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)
const text = `${numbers.join('\n')}\n`

async function patch(path: string, diff: string) {
  const { text: output, isError } = await fixture.call('patch_file', { path, patch: diff })
  return { output, isError }
}

function apply(before: string, diff: string): string {
  return applyHunks(before, readPatch(diff).hunks).text
}

describe('applies a patch', () => {
  test('as written by diff', async () => {
    fixture.put('a.txt', text)
    const after = text.replace('line 5\n', '').replace('line 20', 'line twenty')
    const diff = createTwoFilesPatch('a/a.txt', 'b/a.txt', text, after)
    expect(await patch('a.txt', diff)).toEqual({
      output: 'Patched a.txt: 2 hunks, +1 -2 lines.',
      isError: false,
    })
    expect(fixture.read('a.txt')).toBe(after)
  })

  test('with wrong line numbers, and reports it', async () => {
    fixture.put('a.txt', text)
    const { output } = await patch('a.txt', '@@ -3,3 +3,3 @@\n line 9\n-line 10\n+ten\n line 11\n')
    expect(output).toBe('Patched a.txt: 1 hunk, +1 -1 lines (hunk 1 fitted at line 9).')
    expect(fixture.read('a.txt')).toBe(text.replace('line 10', 'ten'))
  })

  test('at the closest of several positions', () => {
    const same = 'a\nb\n'.repeat(20)
    const after = apply(same, '@@ -15,2 +15,2 @@\n a\n-b\n+c\n')
    expect(after.split('\n').indexOf('c')).toBe(15)
  })

  test('with wrong counts, lost spaces, or a header without numbers', () => {
    const after = text.replace('line 10', 'ten')
    expect(apply(text, '@@ -9,9 +9,1 @@\n line 9\n-line 10\n+ten\n')).toBe(after)
    expect(apply(text, '@@\n line 9\n-line 10\n+ten\n')).toBe(after)
    expect(apply(text, '@@ ... @@\n line 9\n-line 10\n+ten\n')).toBe(after)
    expect(apply('a\n\nb\n', '@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n')).toBe('a\n\nc\n')
    expect(apply('a  \nb\n', '@@ -1,2 +1,2 @@\n a\n-b\n+c\n')).toBe('a  \nc\n')
  })

  test('that only adds lines at its line number, limited to the end', () => {
    expect(apply('a\nb\n', '@@ -1,0 +2 @@\n+x\n')).toBe('a\nx\nb\n')
    expect(apply('a\nb\n', '@@ -900,0 +901 @@\n+x\n')).toBe('a\nb\nx\n')
    expect(apply('', '@@ -0,0 +1 @@\n+x\n')).toBe('x\n')
  })

  test('whose removed lines look like headers', () => {
    expect(apply('-- a\nb\n', '@@ -1,2 +1,1 @@\n--- a\n b\n')).toBe('b\n')
  })

  test('and keeps CRLF', async () => {
    fixture.put('a.txt', 'one\r\ntwo\r\nthree\r\n')
    await patch('a.txt', '@@ -1,3 +1,4 @@\n one\n-two\n+TWO\n+more\n three\n')
    expect(fixture.read('a.txt')).toBe('one\r\nTWO\r\nmore\r\nthree\r\n')
    await patch('a.txt', '@@ -1,2 +1,2 @@\r\n-one\r\n+ONE\r\n TWO\r\n')
    expect(fixture.read('a.txt')).toBe('ONE\r\nTWO\r\nmore\r\nthree\r\n')
  })

  test('and keeps mixed line ends of other lines', () => {
    expect(apply('a\r\nb\nc\n', '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n')).toBe('a\r\nB\nc\n')
  })

  test('and keeps the end of the file unless the patch changes it', () => {
    const mark = '\\ No newline at end of file'
    expect(apply('a\nb', '@@ -1,2 +1,2 @@\n a\n-b\n+c\n')).toBe('a\nc')
    expect(apply('a\nb', '@@ -1,2 +1,3 @@\n a\n b\n+c\n')).toBe('a\nb\nc')
    expect(apply('a\nb\n', `@@ -1,2 +1,2 @@\n a\n-b\n+c\n${mark}\n`)).toBe('a\nc')
    expect(apply('a\nb', `@@ -1,2 +1,2 @@\n a\n-b\n${mark}\n+c\n`)).toBe('a\nc\n')
  })

  test('and keeps a byte order mark', async () => {
    fixture.put('a.txt', '\ufeffone\n')
    await patch('a.txt', '@@ -1 +1 @@\n-one\n+two\n')
    expect(fixture.read('a.txt')).toBe('\ufefftwo\n')
  })

  test('that creates a file', async () => {
    const { output } = await patch(
      'new/a.txt',
      '--- /dev/null\n+++ b/new/a.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n',
    )
    expect(output).toContain('+2 -0 lines')
    expect(fixture.read('new/a.txt')).toBe('a\nb\n')
    const again = await patch('new/a.txt', '--- /dev/null\n+++ b/new/a.txt\n@@ -0,0 +1,1 @@\n+a\n')
    expect(again.output).toContain('already exists')
  })
})

test('applies the output of diff for any two texts, with any line offset', () => {
  const line = fc.constantFrom('a', 'b', 'c', '', ' x', '-', '+y', '@@', '\\')
  const any = fc
    .tuple(fc.array(line, { maxLength: 25 }), fc.boolean())
    .map(([lines, ends]) => lines.join('\n') + (ends && lines.length > 0 ? '\n' : ''))
  fc.assert(
    fc.property(any, any, (before, after) => {
      fc.pre(before !== after)
      const diff = createTwoFilesPatch('a', 'b', before, after)
      expect(apply(before, diff)).toBe(after)
      const windows = before.replaceAll('\n', '\r\n')
      // The line end of a single line does not determine the others.
      if (before.includes('\n')) expect(apply(windows, diff)).toBe(after.replaceAll('\n', '\r\n'))
    }),
  )
})

describe('rejects a patch without changes and gives the reason', () => {
  test('names the hunk, the line, and the content of the file', async () => {
    fixture.put('a.txt', text)
    const diff = [
      '@@ -2,2 +2,2 @@\n line 2\n-line 3\n+three',
      '@@ -14,4 +14,4 @@\n line 14\n line 15\n-line sixteen\n+16\n line 17\n',
    ].join('\n')
    const { output, isError } = await patch('a.txt', diff)
    expect(isError).toBe(true)
    expect(output).toContain('Hunk 2 of 2 does not fit (at line 14)')
    expect(output).toContain('Its first lines are found at line 14, but not all')
    expect(output).toContain('At line 16 the file has "line 16" where the patch has "line sixteen"')
    expect(output).toContain('    15\tline 15\n    16\tline 16\n')
    expect(fixture.read('a.txt')).toBe(text)
  })

  test.each([
    [
      'several files',
      '--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n--- c\n+++ c\n@@ -1 +1 @@\n-a\n+b\n',
      '2 files',
    ],
    ['no hunk', 'replace line 3', 'no hunk'],
    ['a removal', '--- a\n+++ /dev/null\n@@ -1 +0,0 @@\n-line 1\n', 'removes the file'],
    ['no place', '@@\n+x\n', 'place is unknown'],
    ['several places', '@@\n-same\n+x\n', 'more than one place'],
    ['another order', '@@ -9 +9 @@\n-line 9\n+9\n@@ -2 +2 @@\n-line 2\n+2\n', 'Hunk 2 of 2'],
    ['a line beyond the end', '@@ -30,2 +30,2 @@\n line 30\n-line 31\n+x\n', 'Hunk 1 of 1'],
    ['a broken line', '@@ -1,2 +1,2 @@\n line 1\n*line 2\n', 'cannot be used'],
  ])('%s', async (_name, diff, expected) => {
    fixture.put('a.txt', `${text}same\nsame\n`)
    const { output, isError } = await patch('a.txt', diff)
    expect(output).toContain(expected)
    expect(isError).toBe(true)
    expect(fixture.read('a.txt')).toBe(`${text}same\nsame\n`)
  })

  test('for a file that is missing, binary, not UTF-8 or too large', async () => {
    fixture.remove()
    fixture = createWorkspaceFixture({ limits: { maxWriteBytes: 50, maxPatchChars: 60 } })
    fixture.put('binary', new Uint8Array([0, 1]))
    fixture.put('latin', new Uint8Array([0xe9, 0x0a]))
    fixture.put('large', 'x'.repeat(51))
    const diff = '@@ -1 +1 @@\n-a\n+b\n'
    expect((await patch('missing', diff)).output).toContain('use write_file')
    expect((await patch('binary', diff)).output).toContain('is binary')
    expect((await patch('latin', diff)).output).toContain('not UTF-8 throughout')
    expect((await patch('large', diff)).output).toContain('the maximum is 50')
    expect((await patch('missing', `${diff}${' '.repeat(60)}`)).output).toContain('in parts')
  })

  test('for a patch that takes too long', () => {
    const lines = 'x\n'.repeat(40_000)
    const hunk = `@@ -1,20001 +1,20001 @@\n${' x\n'.repeat(20_000)}-y\n+z\n`
    expect(() => apply(lines, hunk)).toThrow('takes too long')
  })
})
