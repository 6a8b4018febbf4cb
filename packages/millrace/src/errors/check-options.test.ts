import { describe, expect, test } from 'vitest'
import { checkOptions } from './check-options.ts'
import { isMillraceError } from './millrace-error.ts'

interface Options {
  readonly name: string
  readonly needsApproval?: boolean
  readonly tools?: readonly string[]
  readonly run?: () => void
}

/** Checks options of an untyped caller, and returns the error. */
function explain(options: unknown): string | undefined {
  const types = {
    name: 'string',
    needsApproval: 'boolean',
    tools: 'list',
    run: 'function',
  } as const
  try {
    checkOptions('defineIt', options as Options, types, { execute: 'run' })
    return undefined
  } catch (error) {
    expect(isMillraceError(error) && error.code).toBe('bad_request')
    return (error as Error).message
  }
}

test('accepts known options, also undefined ones', () => {
  expect(explain({ name: 'a', needsApproval: true, tools: [], run: () => {} })).toBeUndefined()
  expect(explain({ name: 'a', needsApproval: undefined })).toBeUndefined()
})

describe('refuses', () => {
  test.each([
    [
      { needsAproval: true },
      '`defineIt` has no option `needsAproval`. Did you mean `needsApproval`? The options are: needsApproval, name, tools, run.',
    ],
    [{ execute: () => {} }, '`execute` is called `run` in `defineIt`.'],
    [{ colour: 1 }, '`defineIt` has no option `colour`. The options are: '],
    [{ toString: 1 }, '`defineIt` has no option `toString`. The options are:'],
    [{ tools: 'a' }, 'The option `tools` of `defineIt` must be a list, not a string.'],
    [{ name: null }, 'The option `name` of `defineIt` must be a string, not null.'],
    [{ run: {} }, 'The option `run` of `defineIt` must be a function, not an object.'],
    [undefined, '`defineIt` takes an object of options, not undefined.'],
    [[], '`defineIt` takes an object of options, not a list.'],
  ])('%j', (options, problem) => {
    expect(explain(options)).toContain(problem)
  })
})
