import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import {
  createWorkspaceFixture,
  type WorkspaceFixture,
} from '../../../test/support/processes/workspace-fixture.ts'
import type { WorkspaceOptions } from '../create-workspace-tools.ts'
import { createLineWindow } from './line-window.ts'

const fixtures: WorkspaceFixture[] = []

function open(options: Partial<WorkspaceOptions> = {}): WorkspaceFixture {
  const fixture = createWorkspaceFixture(options)
  fixtures.push(fixture)
  return fixture
}

afterEach(() => {
  for (const fixture of fixtures.splice(0)) fixture.remove()
})

describe('read_file', () => {
  test('returns numbered lines', async () => {
    const { put, call } = open()
    put('a.txt', 'one\ntwo\n\nfour')
    const { text, isError } = await call('read_file', { path: 'a.txt' })
    expect(text).toBe('     1\tone\n     2\ttwo\n     3\t\n     4\tfour')
    expect(isError).toBe(false)
  })

  test('returns a part and the next offset', async () => {
    const { put, call } = open()
    put('a.txt', 'one\ntwo\nthree\nfour\n')
    const { text } = await call('read_file', { path: 'a.txt', offset: 2, limit: 2 })
    expect(text).toBe('     2\ttwo\n     3\tthree\n[lines 2 to 3 of 4; continue with offset 4]')
    expect((await call('read_file', { path: 'a.txt', offset: '4' })).text).toContain('lines 4 to 4')
  })

  test('reports the number of lines for an offset after the end', async () => {
    const { put, call } = open()
    put('a.txt', 'one\n')
    const { text, isError } = await call('read_file', { path: 'a.txt', offset: 9 })
    expect(text).toContain('"a.txt" has 1 lines; it has no line 9')
    expect(isError).toBe(true)
  })

  test('reports an empty file, and hides a byte order mark', async () => {
    const { put, call } = open()
    put('empty', '')
    put('marked', '\ufeffone\r\ntwo\r\n')
    expect((await call('read_file', { path: 'empty' })).text).toBe('(the file is empty)')
    expect((await call('read_file', { path: 'marked' })).text).toBe(
      '     1\tone\n     2\ttwo\n[lines end with CRLF]',
    )
  })

  test('applies its limits of lines, characters and line length', async () => {
    const { put, call } = open({ limits: { maxReadLines: 3, maxReadChars: 60, maxLineChars: 10 } })
    put('many', 'x\n'.repeat(10))
    put('long', `${'y'.repeat(1000)}\nz\n`)
    put('wide', `${'w'.repeat(10)}\n`.repeat(4))
    expect((await call('read_file', { path: 'many', limit: 99 })).text).toContain(
      'lines 1 to 3 of 10',
    )
    expect((await call('read_file', { path: 'long' })).text).toBe(
      `     1\t${'y'.repeat(10)}… [+990 characters]\n     2\tz`,
    )
    expect((await call('read_file', { path: 'wide' })).text).toContain('lines 1 to 3 of 4')
  })

  test('reads a part of a large file without reading all of it', async () => {
    const { put, call, root } = open({ limits: { maxScanBytes: 8_388_608 } })
    put('large', '')
    for (let part = 0; part < 12; part++) {
      appendFileSync(join(root, 'large'), `${String(part).padStart(15)}\n`.repeat(65_536))
    }
    const { text } = await call('read_file', { path: 'large', offset: 70_000, limit: 1 })
    expect(text).toBe(
      ` 70000\t${'1'.padStart(15)}\n[lines 70000 to 70000 of more; continue with offset 70001]`,
    )
    const far = await call('read_file', { path: 'large', offset: 700_000 })
    expect(far.text).toContain('read only up to 8388608 bytes')
  })

  test.each([
    [
      'an image',
      new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
      'use read_image',
    ],
    ['binary data', new Uint8Array([1, 2, 0, 3]), 'is binary'],
    ['UTF-16', new Uint8Array([0xff, 0xfe, 0x41, 0]), 'UTF-16'],
    ['a PDF', '%PDF-1.7\n', 'pdftotext'],
  ])('names the remedy for %s', async (_name, content, expected) => {
    const { put, call } = open()
    put('file', content)
    const { text, isError } = await call('read_file', { path: 'file' })
    expect(text).toContain(expected)
    expect(isError).toBe(true)
  })

  test('marks bytes that are not UTF-8', async () => {
    const { put, call } = open()
    put('latin', new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x0a]))
    expect((await call('read_file', { path: 'latin' })).text).toContain('not UTF-8')
  })

  test.skipIf(process.platform === 'win32')('pipes, devices and folders are rejected', async () => {
    const { root, call, putPipe } = open()
    putPipe('pipe')
    mkdirSync(join(root, 'folder'))
    expect((await call('read_file', { path: 'pipe' })).text).toContain('"pipe" is a pipe')
    expect((await call('read_file', { path: 'folder' })).text).toContain('use list_dir')
    expect((await call('read_file', { path: 'missing' })).text).toContain('does not exist')
    expect((await call('read_file', {})).text).toContain('path: expected a text')
  })
})

test('a line window keeps the same lines for any chunks', () => {
  const text = fc
    .array(fc.constantFrom('a', 'bb', '\n', '\r\n', '\n\n', 'é😀'))
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, fc.nat(40), fc.integer({ min: 1, max: 6 }), (whole, cut, offset) => {
      const options = { offset, limit: 3, maxChars: 40, maxLineChars: 4 }
      const [once, twice] = [createLineWindow(options), createLineWindow(options)]
      once.feed(whole)
      twice.feed(whole.slice(0, cut))
      twice.feed(whole.slice(cut))
      once.finish()
      twice.finish()
      expect(twice.lines).toEqual(once.lines)
      expect(twice.lineCount).toBe(once.lineCount)
      const lines = whole.split('\n')
      expect(once.lineCount).toBe(lines.at(-1) === '' ? lines.length - 1 : lines.length)
    }),
  )
})

describe('read_image', () => {
  const images: readonly (readonly [string, number[]])[] = [
    ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]],
    ['image/jpeg', [0xff, 0xd8, 0xff, 0xe0]],
    ['image/gif', [...Buffer.from('GIF89a')]],
    ['image/webp', [...Buffer.from('RIFF0000WEBPVP8 ')]],
  ]

  test.each(images)('recognises %s by its content', async (mediaType, bytes) => {
    const { put, call } = open()
    put('picture.txt', Uint8Array.from(bytes))
    const answer = await call('read_image', { path: 'picture.txt' })
    const data = Buffer.from(bytes).toString('base64')
    expect(answer.images).toEqual([{ src: `data:${mediaType};base64,${data}`, mediaType }])
    expect(answer.text).toContain(`${mediaType}, ${bytes.length} bytes`)
  })

  test('rejects other files with an image name, and large images', async () => {
    const { put, call, root } = open({ limits: { maxImageBytes: 100 } })
    put('a.png', 'text')
    writeFileSync(join(root, 'b.gif'), `GIF89a${'x'.repeat(100)}`)
    put('c.webp', 'AAAA0000WEBP')
    expect((await call('read_image', { path: 'a.png' })).text).toContain('is not a PNG')
    expect((await call('read_image', { path: 'b.gif' })).text).toContain('the maximum is 100')
    expect((await call('read_image', { path: 'c.webp' })).text).toContain('is not a PNG')
  })
})
