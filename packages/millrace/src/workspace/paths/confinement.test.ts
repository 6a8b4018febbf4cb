import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createWorkspaceFixture,
  type WorkspaceFixture,
} from '../../../test/support/processes/workspace-fixture.ts'
import { replaceFile } from '../writing/replace-file.ts'
import { withFile } from './open-inside.ts'
import { resolveTarget } from './resolve-path.ts'
import { openRoot } from './root.ts'

const CANARY = 'the canary sings'
const SECRET_NAME = 'canary-cage.txt'

/** A root with links of every kind, and files outside that must be neither read nor changed. */
function plant(): WorkspaceFixture {
  const fixture = createWorkspaceFixture({ limits: { searchTimeoutMs: 10_000 } })
  const { root, outside, put } = fixture
  writeFileSync(join(outside, SECRET_NAME), CANARY)
  mkdirSync(join(outside, 'deep'))
  writeFileSync(join(outside, 'deep', 'a.txt'), CANARY)
  put('a.txt', 'inside')
  put('sub/b.txt', 'inside')
  put('größe/ü.txt', 'inside')
  const links: Record<string, string> = {
    'out-folder': outside,
    'out-file': join(outside, SECRET_NAME),
    'out-relative': '../outside',
    'sub/up': '../..',
    'out-missing': join(outside, 'missing'),
    circle: 'circle',
    ring: 'ring2',
    ring2: 'ring',
    dangling: 'nowhere',
    'in-file': 'a.txt',
    'in-folder': 'sub',
    chain: 'out-folder',
    'sub/absolute': '/etc',
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name))
  return fixture
}

describe('confines all paths', () => {
  const fixture = plant()
  const { root, outside, call, names, put } = fixture
  const outsideNames = names(outside)
  const linkNames = names().filter((name) => !name.endsWith('txt'))
  afterAll(fixture.remove)

  const piece = fc.oneof(
    fc.constantFrom('..', '.', '', '...', '..\\', '~', 'a.txt', 'sub', 'deep', 'new', SECRET_NAME),
    fc.constantFrom('größe', 'ü.txt', '\u2025', '\uff0e\uff0e', '\u0000', '%2e%2e', 'C:', '..%2f'),
    fc.constantFrom(...linkNames, 'outside', 'root', basename(join(root, '..')), 'etc', 'passwd'),
    fc.string({ maxLength: 4 }),
  )
  const start = fc.constantFrom(
    '',
    '',
    '',
    '/',
    '//',
    root,
    outside,
    `${root}/..`,
    './',
    '../',
    '\\\\',
  )
  const path = fc
    .tuple(start, fc.array(piece, { minLength: 1, maxLength: 6 }))
    .map(([head, pieces]) => (head === '' ? pieces.join('/') : `${head}/${pieces.join('/')}`))

  const calls: readonly [string, (path: string) => object][] = [
    ['read_file', (at) => ({ path: at })],
    ['read_image', (at) => ({ path: at })],
    ['list_dir', (at) => ({ path: at, depth: 4, all: true })],
    ['glob', (at) => ({ path: at, pattern: '**', all: true })],
    ['glob', (at) => ({ pattern: at.slice(0, 900), all: true })],
    ['grep_search', (at) => ({ path: at, pattern: 'canary', all: true })],
    ['write_file', (at) => ({ path: at, content: 'written' })],
    ['patch_file', (at) => ({ path: at, patch: '@@ -0,0 +1 @@\n+written\n' })],
    ['run_bash', (at) => ({ command: 'pwd -P', cwd: at })],
  ]

  const runs = process.env['MILLRACE_NIGHTLY'] === '1' ? 5000 : 300

  test.each(calls)(
    '%s reads and writes nothing outside',
    async (name, toInput) => {
      await fc.assert(
        fc.asyncProperty(path, async (at) => {
          const input = toInput(at)
          const answer = await call(name, input)
          // A path in an error repeats the name that the model gave.
          const output = [answer.text, ...answer.images.map(({ src }) => src)].join('\n')
          expect(output).not.toContain(CANARY)
          if (!JSON.stringify(input).includes(SECRET_NAME))
            expect(output).not.toContain(SECRET_NAME)
          expect(names(outside)).toEqual(outsideNames)
          expect(readFileSync(join(outside, SECRET_NAME), 'utf8')).toBe(CANARY)
          expect(readFileSync(join(outside, 'deep/a.txt'), 'utf8')).toBe(CANARY)
        }),
        { numRuns: name === 'run_bash' || name.startsWith('g') ? Math.ceil(runs / 8) : runs },
      )
      put('a.txt', 'inside')
    },
    600_000,
  )
})

describe('explains invalid paths', () => {
  const fixture = plant()
  const { root, outside, call } = fixture
  afterAll(fixture.remove)

  test.each([
    ['an absolute path', '/etc/passwd', 'outside the workspace', 'use "etc/passwd"'],
    ['parents', '../../x/y.txt', 'outside the workspace', 'use "x/y.txt"'],
    ['the root above', '..', 'outside the workspace', 'use "."'],
    ['a folder that begins like the root', `${root}-2/a`, 'outside the workspace', ''],
    ['a link out', 'out-file', 'leads out of the workspace through a link', ''],
    ['a link out on the way', `chain/${SECRET_NAME}`, 'leads out of the workspace', ''],
    ['a link to nothing', 'dangling', '"dangling" is a link to a missing file', ''],
    ['a link to nothing on the way', 'dangling/x', '"dangling" is a link to a missing file', ''],
    ['a link to itself', 'circle', 'cycle of links', ''],
    ['links in a ring', 'ring/x', 'cycle of links', ''],
    ['a NUL', 'a\0.txt', 'NUL', ''],
    ['a drive', 'C:\\x', 'path of Windows', ''],
    ['a server', '\\\\server\\share', 'path of Windows', ''],
    ['backslashes', 'sub\\b.txt', 'write "/"', ''],
    ['a home', '~/x', 'home folder', ''],
    ['a long path', 'x/'.repeat(3000), 'longer than 4096 characters', ''],
    ['a long name', 'x'.repeat(300), 'too long', ''],
    ['a file as a folder', 'a.txt/b', 'is not a folder', ''],
    ['nothing', '', 'expected a text', ''],
  ])('%s', async (_name, path, first, second) => {
    for (const [tool, extra] of [
      ['read_file', {}],
      ['write_file', { content: '' }],
    ] as const) {
      const { text, isError } = await call(tool, { path, ...extra })
      expect(isError).toBe(true)
      expect(text).toContain(first)
      expect(text).toContain(second)
      expect(text.length).toBeLessThan(700)
    }
    expect(existsSync(join(outside, 'missing'))).toBe(false)
  })

  test('accepts an absolute path inside, also by the name of a root that is a link', async () => {
    const link = join(outside, '..', 'link-to-root')
    symlinkSync(root, link)
    const linked = createWorkspaceFixture({ root: link })
    try {
      for (const path of [join(link, 'a.txt'), join(root, 'a.txt'), 'a.txt', './sub/../a.txt']) {
        expect((await linked.call('read_file', { path })).text).toBe('     1\tinside')
      }
      expect((await linked.call('read_file', { path: `../root/a.txt` })).isError).toBe(false)
    } finally {
      linked.remove()
    }
  })

  test('follows links inside', async () => {
    expect((await call('read_file', { path: 'in-file' })).text).toBe('     1\tinside')
    expect((await call('read_file', { path: 'in-folder/b.txt' })).text).toBe('     1\tinside')
  })

  test('rejects a root that is not a folder', () => {
    expect(() => openRoot(join(root, 'a.txt'))).toThrow('is not a folder')
    expect(() => openRoot(join(root, 'nothing'))).toThrow('cannot be opened')
  })
})

describe.each([
  ['where the system names open files', {}],
  ['where it does not', { usesDescriptors: false }],
])('%s', (_name, options) => {
  let fixture: WorkspaceFixture
  beforeEach(() => {
    fixture = plant()
  })
  afterEach(() => fixture.remove())
  const { signal } = new AbortController()

  test('reads and writes files and creates folders', async () => {
    const root = openRoot(fixture.root, options)
    const target = await resolveTarget(root, 'in-folder/new/folder/c.txt')
    await replaceFile(root, target, { bytes: Buffer.from('hello'), signal })
    expect(fixture.read('sub/new/folder/c.txt')).toBe('hello')
    const text = await withFile(root, 'in-folder/new/folder/c.txt', ({ handle }) =>
      handle.readFile('utf8'),
    )
    expect(text).toBe('hello')
  })

  test('detects a folder that was replaced by a link', async () => {
    const root = openRoot(fixture.root, options)
    const target = await resolveTarget(root, 'sub/new.txt')
    rmSync(join(fixture.root, 'sub'), { recursive: true })
    symlinkSync(fixture.outside, join(fixture.root, 'sub'))
    const write = replaceFile(root, target, { bytes: Buffer.from('x'), signal })
    await expect(write).rejects.toThrow(/link|not a folder/)
    expect(existsSync(join(fixture.outside, 'new.txt'))).toBe(false)
  })

  test('detects a parent folder that was replaced by a link', async () => {
    fixture.put('up/sub/a.txt', 'inside')
    const root = openRoot(fixture.root, options)
    const target = await resolveTarget(root, 'up/deep/new.txt').catch(() => undefined)
    mkdirSync(join(fixture.root, 'up/deep'))
    const inner = await resolveTarget(root, 'up/deep/new.txt')
    renameSync(join(fixture.root, 'up'), join(fixture.root, 'was-up'))
    symlinkSync(fixture.outside, join(fixture.root, 'up'))
    for (const late of [target, inner]) {
      if (late === undefined) continue
      const write = replaceFile(root, late, { bytes: Buffer.from('x'), signal })
      await expect(write).rejects.toThrow(/moved|link|not a folder/)
    }
    expect(fixture.names(join(fixture.outside, 'deep'))).toEqual(['a.txt'])
  })
})

// The race is safe only if names can be used below an open folder.
test.skipIf(process.platform !== 'linux')(
  'a folder that is repeatedly replaced by a link and back reveals nothing',
  async () => {
    const { root, outside, call, names, put, remove } = plant()
    put('flip/a.txt', 'inside')
    const [flip, away, link] = [join(root, 'flip'), join(root, 'away'), join(root, 'link')]
    symlinkSync(join(outside, 'deep'), link)
    const outsideNames = names(outside)
    let isRunning = true
    const move = (from: string, to: string): void => {
      for (;;) {
        try {
          return renameSync(from, to)
        } catch {
          // A tool created the folder again while it was missing.
          rmSync(to, { recursive: true })
        }
      }
    }
    const turn = async (): Promise<void> => {
      while (isRunning) {
        move(flip, away)
        move(link, flip)
        await nextTurn()
        move(flip, link)
        move(away, flip)
        await nextTurn()
      }
    }
    const turning = turn()
    try {
      for (let round = 0; round < 150; round++) {
        const answers = await Promise.all([
          call('read_file', { path: 'flip/a.txt' }),
          call('write_file', { path: 'flip/a.txt', content: 'written' }),
          call('write_file', { path: 'flip/new/b.txt', content: 'written' }),
          call('list_dir', { depth: 3 }),
        ])
        for (const { text } of answers) expect(text).not.toContain(CANARY)
      }
      const { text } = await call('grep_search', { pattern: 'canary' })
      expect(text).not.toContain(CANARY)
    } finally {
      isRunning = false
      await turning
    }
    expect(names(outside)).toEqual(outsideNames)
    expect(await readFile(join(outside, 'deep/a.txt'), 'utf8')).toBe(CANARY)
    unlinkSync(link)
    remove()
  },
)

test('escapes control characters in a listed name', async () => {
  const { put, call, remove } = createWorkspaceFixture()
  put('a\nb', 'needle')
  expect((await call('list_dir', {})).text).toContain('"a\\nb"')
  expect((await call('glob', { pattern: '*' })).text).toBe('"a\\nb"')
  expect((await call('grep_search', { pattern: 'needle' })).text).toContain('"a\\nb"')
  remove()
})

test('treats a hard link as a regular file', async () => {
  const { root, outside, call, remove } = plant()
  linkSync(join(outside, 'deep/a.txt'), join(root, 'hard'))
  expect((await call('read_file', { path: 'hard' })).text).toContain(CANARY)
  await call('write_file', { path: 'hard', content: 'mine' })
  expect(readFileSync(join(outside, 'deep/a.txt'), 'utf8')).toBe(CANARY)
  remove()
})
