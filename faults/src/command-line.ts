import { presentStores, type StoreKind, storeKinds } from '@millrace/bench/servers'
import { formatTable } from '@millrace/bench/table'
import type { Trial } from './trial.ts'
import { trials } from './trials.ts'

const SHORT_FLAG = '--short'
const STORES_FLAG = '--stores'
const helpFlags: readonly string[] = ['--help', '-h']
const storeNames = Object.keys(storeKinds).join(', ')

/** The usage of the command. */
const usage = `Usage: npm run faults -- [${SHORT_FLAG}] [${STORES_FLAG} NAME,…] [TRIAL …]

${formatTable(
  trials.map(({ name, summary }) => [name, summary]),
  { leftColumns: 2 },
)}

  ${SHORT_FLAG}            the form that \`npm test\` runs, in seconds instead of minutes
  ${STORES_FLAG} NAME,…    only on these stores: ${storeNames}`

/** The trials of one call of the command, and its stores. */
interface Choice {
  readonly isShort: boolean
  readonly trials: readonly Trial[]
  readonly stores: readonly StoreKind[]
}

/** Reads the words of a call: a choice, or the text to show instead, with an exit code. */
export function readCommandLine(
  words: readonly string[],
): Choice | { readonly text: string; readonly exitCode: number } {
  if (words.some((word) => helpFlags.includes(word))) return { text: usage, exitCode: 0 }
  const at = words.indexOf(STORES_FLAG)
  const named = at < 0 ? words : words.toSpliced(at, 2)
  const isShort = named.includes(SHORT_FLAG)
  try {
    const stores = at < 0 ? presentStores : chooseStores(words[at + 1] ?? '')
    const names = named.filter((word) => word !== SHORT_FLAG)
    return { isShort, stores, trials: chooseTrials(names, isShort, stores) }
  } catch (error) {
    return { text: error instanceof Error ? error.message : String(error), exitCode: 2 }
  }
}

function chooseStores(list: string): readonly StoreKind[] {
  return list.split(',').map((name) => {
    const kind = Object.values(storeKinds).find((one) => one.name === name)
    if (kind === undefined)
      throw new Error(`No store is named ${JSON.stringify(name)}. Use some of: ${storeNames}.`)
    if (kind.missing !== '') throw new Error(`${kind.title} cannot be tested${kind.missing}.`)
    return kind
  })
}

function chooseTrials(
  names: readonly string[],
  isShort: boolean,
  stores: readonly StoreKind[],
): readonly Trial[] {
  const unknown = names.find((name) => !trials.some((trial) => trial.name === name))
  if (unknown !== undefined)
    throw new Error(`No trial is named ${JSON.stringify(unknown)}.\n\n${usage}`)
  const ofForm = trials.filter(({ elsewhere }) => !isShort || elsewhere === undefined)
  const chosen = names.length > 0 ? trials.filter(({ name }) => names.includes(name)) : ofForm
  const usable = chosen.filter(({ only }) => !only || stores.some(({ name }) => name === only))
  if (usable.length === 0) throw new Error('None of these trials uses these stores.')
  return usable
}
