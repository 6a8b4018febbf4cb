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

/** Returns the mark of a line in a diff. */
const toMark = (kind: string): string => ({ add: '+', remove: '-', keep: ' ' })[kind] ?? ''

describe('a unified diff', () => {
  test('is parsed by file, with line numbers before and after', () => {
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

  test('may have hunks without numbers and without a path', () => {
    const [file] = parseDiff('@@\n-old\n+new\n')
    expect(file).toMatchObject({ path: '', added: 1, removed: 1 })
    expect(file?.hunks[0]?.lines[0]?.before).toBeUndefined()
  })

  test('is distinguished from other text', () => {
    expect(isDiff(patch)).toBe(true)
    for (const text of ['', 'a\n+b', '@@ decorators', '- a\n- list', '@@ -1 +1 @@\n same\n']) {
      expect(isDiff(text)).toBe(false)
    }
  })

  test('shows a rename, a mode and a second path, which are not lines of hunks', () => {
    const head = 'diff --git a/a.sh b/b.sh\nold mode 100644\nnew mode 100755\nrename from a.sh\n'
    const [file] = parseDiff(`${head}--- a/a.sh\n+++ b/b.sh\n@@ -1 +1 @@\n-a\n+b\n`)
    expect(file?.path).toBe('b.sh')
    expect(file?.hunks[0]?.lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'note diff --git a/a.sh b/b.sh',
      'note old mode 100644',
      'note new mode 100755',
      'note rename from a.sh',
      'note --- a/a.sh',
      'note +++ b/b.sh',
    ])
  })

  test('keeps a carriage return that other lines lack', () => {
    const textOf = (diff: string) => parseDiff(diff)[0]?.hunks[0]?.lines.map(({ text }) => text)
    expect(textOf('@@ -1 +1 @@\r\n-a\r\n+b\r\n')).toEqual(['a', 'b'])
    expect(textOf('@@ -1 +1 @@\n-a\r\n+a\n')).toEqual(['a\r', 'a'])
  })

  test('leaves no line out', () => {
    const line = fc.constantFrom(
      '--- a/x',
      '+++ b/x',
      '--- y',
      '+++ z',
      '@@ -1,2 +3,4 @@',
      '@@',
      '+one',
      '-two',
      ' three',
      '',
      'diff --git a/q b/r',
      'rename to r',
      'new mode 100755',
      'index 1..2 100755',
      'text',
    )
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const files = parseDiff(lines.join('\n'))
        const shown = files.flatMap(({ path, hunks }) => [
          ...(path === '' ? [] : [`--- a/${path}`, `+++ b/${path}`, `--- ${path}`, `+++ ${path}`]),
          ...hunks.flatMap(({ header, lines: within }) => [
            header,
            ...within.flatMap(({ kind, text }) => [text, toMark(kind) + text]),
          ]),
        ])
        for (const each of lines) if (each !== '') expect(shown).toContain(each)
      }),
    )
  })

  test('never throws', () => {
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

  test('with a text and its replacement shows the changed lines', () => {
    const change = findChange({ path: 'a.md', old_string: 'a\nb\nc', new_string: 'a\nx\ny\nc' })
    expect(change?.files[0]?.hunks[0]?.lines.map(({ kind, text }) => kind + text)).toEqual([
      'keepa',
      'removeb',
      'addx',
      'addy',
      'keepc',
    ])
  })

  test('with a text and its replacement keeps unchanged lines between changes', () => {
    const change = findChange({ old_str: 'a\nb\nc\nd\n', new_str: 'x\nb\nc\ny\n' })
    expect(change?.files[0]).toMatchObject({ added: 2, removed: 2 })
    expect(change?.files[0]?.hunks[0]?.lines.map(({ kind, text }) => kind + text)).toEqual([
      'removea',
      'addx',
      'keepb',
      'keepc',
      'removed',
      'addy',
    ])
  })

  test('with two texts that have little in common shows all lines of both', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 2_000 })
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const input = { old_str: `${before.join('\n')}\n`, new_str: `${after.join('\n')}\n` }
        const shown = findChange(input)?.files[0]?.hunks[0]?.lines ?? []
        const textOf = (other: string) =>
          shown.filter(({ kind }) => kind !== other).map(({ text }) => `${text}\n`)
        expect(textOf('add').join('')).toBe(input.old_str)
        expect(textOf('remove').join('')).toBe(input.new_str)
      }),
    )
  })

  test('with a path besides that of its patch shows both', () => {
    const diff = '--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-a\n+b\n'
    expect(findChange({ path: '/etc/passwd', patch: diff })?.rest).toEqual({ path: '/etc/passwd' })
    expect(findChange({ path: 'a.md', patch: diff })?.rest).toEqual({})
    expect(findChange({ path: 'a', file_path: 'b', old_str: '', new_str: 'x' })?.rest).toEqual({
      file_path: 'b',
    })
  })

  test('that changes only the final line break shows a note', () => {
    const change = findChange({ path: 'a.md', old_string: 'a\n', new_string: 'a' })
    expect(change?.files[0]?.hunks[0]?.lines.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'keep: a',
      'note: The final line break is removed',
    ])
  })

  test('of another kind is not a change', () => {
    for (const input of [undefined, 'text', { path: 'a' }, { patch: 'no diff' }, { patch: 5 }]) {
      expect(findChange(input)).toBeUndefined()
    }
  })
})
