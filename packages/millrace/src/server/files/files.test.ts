import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ToolResult } from '../../events/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store, StoredFile } from '../../stores/port/index.ts'
import { decodeBase64, encodeBase64 } from './stored-blocks.ts'
import { createFileStorage, createImageStorage, type FileSource, imageKeyId } from './run-media.ts'
import { findMedia, toAttachment, toFileResponse, toSafeName } from './check-files.ts'
import fc from 'fast-check'

const bytes = fc.uint8Array({ maxLength: 200 })
const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)

test('base64 equals that of the platform, and round-trips', () => {
  fc.assert(
    fc.property(bytes, (given) => {
      const text = encodeBase64(given)
      expect(text).toBe(Buffer.from(given).toString('base64'))
      expect(decodeBase64(text)).toEqual(given)
    }),
  )
  const large = new Uint8Array(100_003).map((_, index) => index)
  expect(encodeBase64(large)).toBe(Buffer.from(large).toString('base64'))
  expect(decodeBase64('no base64!')).toBeUndefined()
})

describe('detects the kind of a file', () => {
  test.each<[string, Uint8Array, string | undefined]>([
    ['PNG', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0]), 'image/png'],
    ['JPEG', new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0]), 'image/jpeg'],
    ['GIF', ascii('GIF89a\0'), 'image/gif'],
    ['WebP', ascii('RIFF\0\0\0\0WEBPVP8 '), 'image/webp'],
    ['a sound in the same container', ascii('RIFF\0\0\0\0WAVEfmt '), undefined],
    ['PDF', ascii('%PDF-1.7\n%\0'), 'application/pdf'],
    ['text', ascii('Grüße 🌾\n'), 'text/plain'],
    ['a page', ascii('<script>alert(1)</script>'), 'text/plain'],
    ['nothing', new Uint8Array(), 'text/plain'],
    ['half a character', new Uint8Array([0xc3]), undefined],
    ['a program', new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]), undefined],
    ['an archive', ascii('PK\x03\x04\0'), undefined],
  ])('%s', (_, content, mediaType) => expect(findMedia(content)?.mediaType).toBe(mediaType))
})

describe('names', () => {
  test.each([
    ['report.pdf', 'report.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\a.txt', 'a.txt'],
    ['.htaccess', 'htaccess'],
    ['a\r\nset-cookie: x=y', 'aset-cookie x=y'],
    ['exe\u202Etxt.bat', 'exetxt.bat'],
    ['日本 語.txt', '日本 語.txt'],
    ['…/', undefined],
    ['..', undefined],
    ['\ud800', undefined],
    ['', undefined],
  ])('%j becomes %j', (name, safe) => expect(toSafeName(name)).toBe(safe))

  test('the header of any file name is one line of ASCII', () => {
    const anyName = fc.string({ unit: 'binary', maxLength: 300 })
    fc.assert(
      fc.property(anyName, (name) => {
        const safe = toSafeName(name)
        if (safe === undefined) return
        expect(Array.from(safe).length).toBeLessThanOrEqual(120)
        expect(safe).not.toMatch(/[\p{Cc}/\\]|^\.|^$/u)
        const header = toAttachment(safe)
        expect(header).toMatch(/^attachment; filename="[\w.-]+"; filename\*=UTF-8''[\w.%~-]+$/)
        expect(decodeURIComponent(header.split("''")[1] ?? '')).toBe(safe)
      }),
    )
  })
})

describe('a file response is safe', () => {
  const sent = (mediaType: string, filename?: string) => {
    const named = filename === undefined ? {} : { filename }
    return toFileResponse({ id: 'file_1', mediaType, bytes: ascii('x'), ...named }).headers
  }

  test.each(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'IMAGE/PNG'])(
    '%s is displayed inline',
    (type) => expect(sent(type).get('content-disposition')).toBe('inline'),
  )

  test.each(['text/html', 'image/svg+xml', 'application/pdf', 'text/plain', 'x', 'a/b\r\nc: d'])(
    '%j is downloaded',
    (type) => {
      const headers = sent(type, 'a "b".html')
      expect(headers.get('content-disposition')).toBe(
        `attachment; filename="a_b.html"; filename*=UTF-8''a%20b.html`,
      )
      expect(headers.get('content-type')).toMatch(/^[a-z]+\/[a-z+-]+$/)
    },
  )

  test('no scripts, sniffing or shared caches', () => {
    const headers = sent('text/html')
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
    expect(headers.get('content-disposition')).toContain('file_1')
  })
})

const dataUri = (content: Uint8Array, type = 'image/png'): string =>
  `data:${type};base64,${encodeBase64(content)}`

const resultWith = (...srcs: string[]): ToolResult => ({
  type: 'tool_result',
  agent: 's',
  callId: 'c1',
  name: 'draw',
  text: '',
  images: srcs.map((src) => ({ src, mediaType: 'image/png' })),
  isError: false,
})

async function openKeeper(change: Partial<Store> = {}) {
  const puts: string[] = []
  const base = createMemoryStore()
  await base.open('s')
  const store: Store = {
    ...base,
    putFile: (session, file) => {
      puts.push(file.id)
      return base.putFile(session, file)
    },
    ...change,
  }
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  const keeper = createImageStorage({ store, session: 's', maxLineBytes: 512, onError })
  const keep = async (...srcs: string[]): Promise<string[]> => {
    const result = resultWith(...srcs)
    await keeper.keep(result)
    return result.images.map((image) => keeper.imageUrl(image, result))
  }
  return { keep, store, puts, errors }
}

describe('[CHUNK-7] images of tools', () => {
  const one = new Uint8Array(600).fill(1)
  const two = new Uint8Array(600).fill(2)

  test('are stored, identical ones once', async () => {
    const { keep, store, puts } = await openKeeper()
    const urls = await keep(dataUri(one), dataUri(two), dataUri(one))
    expect(urls[0]).toMatch(/^\/agent\/s\/images\/img_[0-9a-f]{32}$/)
    expect(urls[2]).toBe(urls[0])
    expect(urls[1]).not.toBe(urls[0])
    expect(await keep(dataUri(one))).toEqual([urls[0]])
    expect(puts.filter((id) => id !== imageKeyId)).toHaveLength(2)
    const id = urls[0]?.split('/').at(-1) ?? ''
    expect(await store.file('s', id)).toEqual({ id, mediaType: 'image/png', bytes: one })
  })

  test('that are no data URI, small, or invalid stay in their frame', async () => {
    const { keep, puts } = await openKeeper()
    const srcs = [
      'https://example.com/a.png',
      dataUri(new Uint8Array(9)),
      `data:image/png;base64,${'%'.repeat(600)}`,
      `data:image/svg+xml,${'x'.repeat(600)}`,
    ]
    expect(await keep(...srcs)).toEqual(srcs)
    expect(puts).toEqual([])
  })

  test('have ids that reveal nothing of their content and survive a restart', async () => {
    const [first, again, other] = [await openKeeper(), await openKeeper(), await openKeeper()]
    const key = async (): Promise<StoredFile> => {
      const file = await first.store.file('s', imageKeyId)
      if (file === undefined) throw new Error('The session has no key.')
      return file
    }
    const [url = ''] = await first.keep(dataUri(one))
    await again.store.putFile('s', await key())
    expect(await again.keep(dataUri(one))).toEqual([url])
    expect(await other.keep(dataUri(one))).not.toEqual([url])
    const hashed = Buffer.concat([Buffer.from('image/png\n'), one])
    for (const content of [one, hashed]) {
      const hash = createHash('sha256').update(content).digest('hex')
      expect(url).not.toContain(hash.slice(0, 12))
    }
  })

  test('that cannot be stored are sent in chunks', async () => {
    const full = new Error('full')
    const { keep, errors } = await openKeeper({ putFile: () => Promise.reject(full) })
    expect(await keep(dataUri(one))).toEqual([dataUri(one)])
    expect(errors).toEqual([full])
  })
})

describe('files of a provider', () => {
  const made = (fileId: string, storageLocation = '') => ({
    fileId,
    filename: `file_${fileId}`,
    storageLocation,
  })

  async function open(source: FileSource | undefined, maxFileBytes = 100) {
    const store = createMemoryStore()
    await store.open('s')
    const errors: unknown[] = []
    const onError = (error: unknown): void => void errors.push(error)
    const options = { store, session: 's', source, maxFileBytes, fileTimeoutMs: 1_000, onError }
    return {
      keep: createFileStorage(options),
      again: () => createFileStorage(options),
      store,
      errors,
    }
  }

  function createSource() {
    const reads: string[] = []
    const source: FileSource = {
      read: async (fileId) => {
        reads.push(fileId)
        if (fileId === 'gone') throw new Error('no such file')
        const size = fileId === 'large' ? 101 : 3
        return { filename: 'chart.csv', mediaType: 'text/csv', bytes: new Uint8Array(size) }
      },
    }
    return { source, reads }
  }

  test('are read once, stored, and reported with names and locations', async () => {
    const { source, reads } = createSource()
    const { keep, again, store } = await open(source)
    const received = { fileId: 'f1', filename: 'chart.csv', storageLocation: '/agent/s/files/f1' }
    expect(await keep([made('f1')])).toEqual([received])
    expect(await keep([made('f1')])).toEqual([received])
    expect(await again()([made('f1')])).toEqual([received])
    expect(reads).toEqual(['f1'])
    expect(await store.file('s', 'f1')).toMatchObject({ mediaType: 'text/csv' })
  })

  test('that the agent stores itself, or that have an invalid id, are unchanged', async () => {
    const { source, reads } = createSource()
    const kept = [made('f2', 's3://bucket/f2'), made('../f3')]
    const { keep } = await open(source)
    expect(await keep(kept)).toEqual(kept)
    expect(reads).toEqual([])
    const without = await open(undefined)
    expect(await without.keep([made('f4')])).toEqual([made('f4')])
  })

  test('that fail or are too large have no location', async () => {
    const { keep, errors } = await open(createSource().source)
    expect(await keep([made('gone'), made('large')])).toEqual([made('gone'), made('large')])
    expect(errors).toHaveLength(2)
    expect(String(errors)).toContain('maxFileBytes')
  })
})
