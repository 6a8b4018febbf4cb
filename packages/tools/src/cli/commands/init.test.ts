import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRecordedTerminal } from '../../../../millrace/test/support/processes/recorded-terminal.ts'
import { packageFolder } from '../../package-folder.ts'
import { templateFiles } from '../../init/write-app.ts'
import { runCommand } from '../run-command.ts'

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-init-'))
})

afterEach(() => rm(folder, { recursive: true }))

async function init(...args: string[]) {
  const terminal = createRecordedTerminal()
  const code = await runCommand(['init', ...args], terminal)
  return { code, printed: terminal.printed.join('\n'), complaints: terminal.complaints.join('\n') }
}

const filesIn = async (path: string): Promise<string[]> => {
  const entries = await readdir(path, { recursive: true })
  return entries.filter((name) => /\.\w+$/.test(name)).sort()
}

test('init writes an app, and prints the next steps', async () => {
  const app = join(folder, 'My Mill!')
  const { code, printed, complaints } = await init(app)
  expect(complaints).toBe('')
  expect(code).toBe(0)
  expect(printed).toMatch(/npm install\n\s+npm start/)
  expect(printed).toContain('npm run studio')
  expect(await filesIn(app)).toEqual(['package.json', ...Object.keys(templateFiles)].sort())
  const manifest = JSON.parse(await readFile(join(app, 'package.json'), 'utf8')) as unknown
  expect(manifest).toMatchObject({
    name: 'my-mill',
    private: true,
    type: 'module',
    scripts: { studio: 'millrace dev agents.js' },
    // Tests run in a clone, whose library is not in a registry.
    dependencies: {
      millrace: expect.stringMatching(/^file:\.\..*\/packages\/millrace$/),
      'millrace-tools': expect.stringMatching(/^file:\.\..*\/packages\/tools$/),
      libsql: expect.any(String),
    },
  })
  expect(await readFile(join(app, '.gitignore'), 'utf8')).toContain('node_modules/')
})

test('every file of the template is written', async () => {
  const names = await filesIn(join(packageFolder, 'template'))
  const written = Object.keys(templateFiles).filter((name) => name !== '.gitignore')
  expect(names).toEqual(written.sort())
})

test('init overwrites nothing, and names existing files', async () => {
  await mkdir(join(folder, 'public'))
  await writeFile(join(folder, 'README.md'), 'mine')
  await symlink('nowhere', join(folder, 'public/chat.js'))
  const { code, complaints } = await init(folder)
  expect(code).toBe(1)
  expect(complaints).toContain('already has public/chat.js, README.md.')
  expect(await filesIn(folder)).toEqual(['README.md', 'public/chat.js'])
  expect(await readFile(join(folder, 'README.md'), 'utf8')).toBe('mine')
})

test('impossible requests to init are explained', async () => {
  const file = join(folder, 'file')
  await writeFile(file, '')
  expect(await init(join(file, 'app'))).toMatchObject({
    code: 1,
    complaints: expect.stringContaining('cannot be written'),
  })
  expect(await init('one', 'two')).toMatchObject({
    code: 2,
    complaints: expect.stringContaining('Only one folder'),
  })
})
