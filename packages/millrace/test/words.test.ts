import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const workspaces = [
  'apps/studio/src',
  'bench',
  'examples',
  'faults',
  'packages/millrace/src',
  'packages/millrace/test',
  'packages/tools/src',
  'packages/tools/template',
  'scripts',
  'soak',
]
const documents = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'bench/README.md',
  'decisions',
  'docs',
  'examples',
  'packages/millrace/README.md',
  'packages/tools/README.md',
  'spec',
]

/** Words that describe a thing instead of naming it, anywhere in a comment or a title. */
const vagueWords = [
  'anybody',
  'anyone',
  'gave up',
  'given up',
  'gives up',
  'knew',
  'knows',
  'lets',
  'nobody',
  'said',
  'says',
  'so many',
  'somebody',
  'someone',
  'taken in',
  'takes in',
  'tells',
  'those who',
  'told',
  'what',
  'whatever',
  'whichever',
  'whoever',
]

/** Beginnings of titles that describe a thing instead of naming it. */
const vagueTitles = ['who']

/** Beginnings of comments that describe a thing instead of naming it. */
const vagueStarts = ['Gives', 'How', 'Makes sure']

/** Retired words, with the words of the glossary that replace them. */
const retiredWords: Readonly<Record<string, string>> = {
  'broken off': 'interrupted',
  deed: 'command, call update',
  desk: 'log, inbox',
  errand: 'command, task',
  goal: 'completion',
  house: 'server context, test server',
  'extra fields of a message': 'extra fields of a frame',
  'places for': 'quota',
  seat: 'subscription',
  setback: 'connection failure',
  telling: 'event',
}

/** Words that no declared name may contain. */
const retiredNames = new Set(
  'book crew deed desk errand goal house ordeal retell seat setback telling told untold witness'.split(
    ' ',
  ),
)

/** A connection failure in a declared name or the name of a file. */
const isLoss = /^loss(?:es)?$/

/** Names in stored data, which keep their spelling. */
const storedNames: Readonly<Record<string, string>> = {
  'packages/millrace/src/agent/state/state-parts.ts': 'untold',
  'packages/millrace/src/agent/state/state-reader.ts': 'told, untold',
  'packages/millrace/src/agent/state/state-writer.ts': 'told, untold',
}

/** Phrases for things that have a name, with the plain word. */
const retiredPhrases: Readonly<Record<string, string>> = {
  'are told': 'receive',
  'breaks off': 'is interrupted',
  'broke off': 'was interrupted',
  'came back': 'returned, reconnected',
  'carried on': 'resumed, recovered',
  'carries on': 'resumes, recovers',
  'comes back': 'returns, reconnects',
  'cut off': 'interrupted, truncated',
  'goes on': 'continues, resumes',
  'is told': 'receives, is reported',
  'lets go': 'releases',
  'those who': 'readers, clients',
  'was told': 'received',
  'went on': 'continued, resumed',
  'wire message': 'frame',
  'wire messages': 'frames',
  whoever: 'any reader, any client',
}

/** Places where `loss` is that of data in a store, or of a run, and not a connection failure. */
const lossPlaces =
  /^(?:faults\/|packages\/millrace\/src\/(?:stores\/redis\/|server\/runs\/run-metrics\.ts))/

/** Files with texts of a demo, or prompts in the language of a model. */
const ownLanguage = [
  'packages/millrace/src/agent/loop/continue-answer.ts',
  'packages/millrace/src/models/anthropic/request/continue-request.ts',
  'packages/millrace/test/words.test.ts',
  'packages/tools/src/emulator/demos/tools/sluice-file.ts',
]

const list = (words: readonly string[]) => words.join('|')
const comment = /^[ \t]*(?:\/\*\*?([\s\S]*?)\*\/|\/\/(.*))/gm
const title =
  /(?:\b(?:test|it|describe)(?:\.\w+(?:\([^()]*\))?)*|^[ \t]*\]\))\(\s*(?:'((?:\\.|[^'\\\n])+)'|`([^`]+)`),/gm
const vague = new RegExp(`\\b(?:${list(vagueWords)})\\b`, 'i')
const vagueStart = new RegExp(`^(?:${list(vagueStarts)})\\b`)
const vagueTitle = new RegExp(`^(?:\\[[\\w-]+\\] )*(?:${list(vagueTitles)})\\b`, 'i')
const retired = new RegExp(`\\b(?:${list(Object.keys(retiredWords))})s?\\b`, 'i')
const phrase = new RegExp(`\\b(?:${list(Object.keys(retiredPhrases))})\\b`, 'i')

function commentsIn(text: string): string[] {
  return [...text.matchAll(comment)].map(([, block, line = '']) =>
    (block ?? line).replace(/\s*\n\s*\*?\s*/g, ' ').trim(),
  )
}

const declaration =
  /(?:\b(?:const|let|function\*?|class|interface|type|readonly|get|set|local)\s+|#)(\w+)/g

/** Returns the names that a file declares: variables, functions, types, properties, and variables of scripts for Redis. */
function namesIn(text: string): string[] {
  return [...text.replace(comment, '').matchAll(declaration)].map(([, name = '']) => name)
}

/** Returns the words of a name in lower case. */
function wordsOf(name: string): string[] {
  return name.split(/(?=[A-Z][a-z])|_/).map((word) => word.toLowerCase())
}

function titlesIn(text: string): string[] {
  return [...text.matchAll(title)].map(([, quoted, template = '']) => quoted ?? template)
}

/** Returns the lines of prose outside of code fences, without quotations and the titles of seeds. */
function proseIn(text: string): string[] {
  return text
    .replace(/^####.*/gm, '')
    .replace(/^## Glossary[\s\S]*?(?=^## )/gm, '')
    .replace(/^```[\s\S]*?^```/gm, '')
    .replaceAll(/`[^`\n]*`|“[^”\n]*”/g, '')
    .split('\n')
}

/** Removes code and quotations, which keep their own words. */
const withoutQuotes = (text: string): string => text.replaceAll(/`[^`\n]*`|“[^”\n]*”|\$\w+/g, '')

const isTest = (file: string) => /\.test\.(?:tsx?|mjs)$/.test(file) || file.includes('/test/')

function faultsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const isFault = (one: string): boolean => {
    const prose = withoutQuotes(one)
    return vague.test(prose) || retired.test(prose) || phrase.test(prose)
  }
  const comments = commentsIn(text).filter((one) => vagueStart.test(one) || isFault(one))
  const titles = isTest(file)
    ? titlesIn(text).filter((one) => vagueTitle.test(one) || isFault(one))
    : []
  const texts = isTest(file)
    ? []
    : text
        .replace(comment, '')
        .split('\n')
        .filter((line) => phrase.test(line))
  return [...comments, ...titles, ...texts].map((one) => `${file}: ${one.trim()}`)
}

/** Decisions of their time, and statements in the words of the seeds. */
const isReport = (file: string) => /^(?:decisions\/|docs\/seed-compatibility)/.test(file)

function filesOf(folder: string, ending: RegExp): string[] {
  if (ending.test(folder)) return [folder]
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((file) => !/\/(?:node_modules|dist|types|fixtures)\/|\/\./.test(file))
    .filter((file) => !ownLanguage.includes(file))
}

test('comments, titles of tests and texts of every workspace use the glossary', () => {
  const files = workspaces.flatMap((folder) => filesOf(folder, /\.(?:tsx?|mjs|js)$/))
  expect(files.length).toBeGreaterThan(1000)
  expect(files.flatMap(faultsOf)).toEqual([])
})

test('declared names have no retired words', () => {
  const faults = workspaces
    .flatMap((folder) => filesOf(folder, /\.(?:tsx?|mjs|js)$/))
    .flatMap((file) =>
      namesIn(readFileSync(join(root, file), 'utf8'))
        .filter((name) =>
          wordsOf(name).some(
            (word) => retiredNames.has(word) || (isLoss.test(word) && !lossPlaces.test(file)),
          ),
        )
        .filter((name) => storedNames[file]?.split(', ').includes(name) !== true)
        .map((name) => `${file}: ${name}`),
    )
  expect(faults).toEqual([])
})

test('names of files have no retired words', () => {
  const faults = workspaces
    .flatMap((folder) => filesOf(folder, /\.(?:tsx?|mjs|js)$/))
    .filter((file) => {
      const words = (file.split('/').at(-1) ?? '').split(/[-.]/)
      return words.some(
        (word) => retiredNames.has(word) || (isLoss.test(word) && !lossPlaces.test(file)),
      )
    })
  expect(faults).toEqual([])
})

test('documents use the glossary', () => {
  const faults = documents
    .flatMap((folder) => filesOf(folder, /\.md$/))
    .flatMap((file) =>
      proseIn(readFileSync(join(root, file), 'utf8'))
        .filter(
          (line) =>
            phrase.test(line) || retired.test(line) || (!isReport(file) && vague.test(line)),
        )
        .map((line) => `${file}: ${line}`),
    )
  expect(faults).toEqual([])
})

test('comments of all forms are found', () => {
  const text =
    '/** What one line says. */\nconst a = 1\n/**\n * The first\n * part.\n */\n  // Tells.\n'
  expect(commentsIn(text)).toEqual(['What one line says.', 'The first part.', 'Tells.'])
})

test('declared names of all forms are found', () => {
  const text =
    '// const a = 1\nconst isB = 1\nclass C {\n  readonly dE?: 1\n  #f() {}\n}\n`local g = 1`'
  expect(namesIn(text)).toEqual(['isB', 'C', 'dE', 'f', 'g'])
  expect(wordsOf('untilTold_URLDesk')).toEqual(['until', 'told', 'url', 'desk'])
})

test('titles of all forms are found', () => {
  const text = [
    "test('a', () => {})",
    'describe.skipIf(missing)(`b ${c}`, () => {})',
    "test.each(rows)(\n  'd: %s',\n  () => {})",
    "test.each([\n  [1, f('x')],\n])('e %i', () => {})",
    "test.for(rows)('f', () => {})",
  ]
  expect(titlesIn(text.join('\n'))).toEqual(['a', 'b ${c}', 'd: %s', 'e %i', 'f'])
})
