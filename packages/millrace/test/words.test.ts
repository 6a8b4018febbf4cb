import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const sources = ['packages/millrace/src', 'packages/tools/src', 'apps/studio/src']

/** Beginnings of comments that describe a thing instead of naming it. */
const vagueStarts = [
  'What',
  'Whoever',
  'Those who',
  'Tells',
  'Builds what',
  'Gives what',
  'Lets whoever',
]

/** Retired words, with the words of the glossary that replace them. */
const retiredWords: Readonly<Record<string, string>> = {
  'broken off': 'interrupted',
  deed: 'command, call update',
  desk: 'log, inbox',
  errand: 'command, task',
  goal: 'completion',
  house: 'server context',
  'places for': 'quota',
  seat: 'subscription',
  setback: 'connection failure',
  telling: 'event',
}

/** Files with comments that are text of a demo. */
const demoTexts = ['packages/tools/src/emulator/demos/tools/sluice-file.ts']

const comment = /^[ \t]*(?:\/\*\*?([\s\S]*?)\*\/|\/\/(.*))/gm
const vague = new RegExp(`^(?:${vagueStarts.join('|')})\\b`)
const retired = new RegExp(`\\b(?:${Object.keys(retiredWords).join('|')})s?\\b`, 'i')

function commentsIn(text: string): string[] {
  return [...text.matchAll(comment)].map(([, block, line = '']) =>
    (block ?? line).replace(/\s*\n\s*\*?\s*/g, ' ').trim(),
  )
}

function faultsIn(file: string): string[] {
  return commentsIn(readFileSync(join(root, file), 'utf8'))
    .filter((text) => vague.test(text) || retired.test(text))
    .map((text) => `${file}: ${text}`)
}

const files = sources
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && /(?<!\.test)\.tsx?$/.test(entry.name))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
  .filter((file) => !demoTexts.includes(file))

test('comments name things by the glossary', () => {
  expect(files.flatMap(faultsIn)).toEqual([])
})

test('comments of all forms are found', () => {
  const text =
    '/** What one line says. */\nconst a = 1\n/**\n * The first\n * part.\n */\n  // Tells.\n'
  expect(commentsIn(text)).toEqual(['What one line says.', 'The first part.', 'Tells.'])
})
