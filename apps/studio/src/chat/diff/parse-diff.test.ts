import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findChange } from './find-change.ts'
import { isDiff, parseDiff } from './parse-diff.ts'

const patch = `diff --git a/src/wheel.ts b/src/wheel.ts
index 1..2 100644
--- a/src/wheel.ts
+++ b/src/wheel.ts
@@ -3,4 +3,5 @@ export function turn() {
 const speed = 4
--- a flag that begins like a header
+const flow = 2
+const fall = 3
 return speed
\\ No newline at end of file
diff --git a/old.md b/old.md
--- a/old.md
+++ /dev/null
@@ -1,2 +0,0 @@
-one
-two
`

describe('a unified diff', () => {
  test('is read file by file, with the numbers of its lines before and after', () => {
    const [wheel, old, ...more] = parseDiff(patch)
    expect(more).toEqual([])
    expect(wheel).toMatchObject({ path: 'src/wheel.ts', added: 2, removed: 1 })
    expect(wheel?.hunks[0]?.lines.map(({ kind, before, after }) => [kind, before, after])).toEqual([
      ['keep', 3, 3],
      ['remove', 4, undefined],
      ['add', undefined, 4],
      ['add', undefined, 5],
      ['keep', 5, 6],
      ['note', undefined, undefined],
    ])
    expect(old).toMatchObject({ path: 'old.md', added: 0, removed: 2 })
  })

  test('may have hunks without numbers, and no path', () => {
    const [file] = parseDiff('@@\n-old\n+new\n')
    expect(file).toMatchObject({ path: '', added: 1, removed: 1 })
    expect(file?.hunks[0]?.lines[0]?.before).toBeUndefined()
  })

  test('is told from other text', () => {
    expect(isDiff(patch)).toBe(true)
    for (const text of ['', 'a\n+b', '@@ decorators', '- a\n- list', '@@ -1 +1 @@\n same\n']) {
      expect(isDiff(text)).toBe(false)
    }
  })

  test('never fails, whatever the text', () => {
    const line = fc.constantFrom(
      '--- a',
      '+++ b',
      '@@ -1,2 +3,4 @@',
      '@@',
      '+',
      '-',
      ' x',
      '',
      '\\',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.string())), (lines) => {
        parseDiff(lines.join('\n'))
      }),
    )
  })
})

describe('the input of a call', () => {
  test('with a patch is a change of the file that it names', () => {
    const change = findChange({ path: 'a.md', patch: '@@ -1 +1 @@\n-a\n+b\n', dry_run: true })
    expect(change?.files).toMatchObject([{ path: 'a.md', added: 1, removed: 1 }])
    expect(change?.rest).toEqual({ dry_run: true })
  })

  test('with a text and what replaces it shows the lines between their common ends', () => {
    const change = findChange({ path: 'a.md', old_string: 'a\nb\nc', new_string: 'a\nx\ny\nc' })
    expect(change?.files[0]?.hunks[0]?.lines.map(({ kind, text }) => kind + text)).toEqual([
      'keepa',
      'removeb',
      'addx',
      'addy',
      'keepc',
    ])
  })

  test('of another kind is none', () => {
    for (const input of [undefined, 'text', { path: 'a' }, { patch: 'no diff' }, { patch: 5 }]) {
      expect(findChange(input)).toBeUndefined()
    }
  })
})
