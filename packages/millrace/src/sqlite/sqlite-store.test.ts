import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { testStore } from '../testing/index.ts'
import { createSqliteStore } from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'millrace-sqlite-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let count = 0
const path = () => join(folder, `${++count}`, 'store.db')

describe('the contract of a store', () => {
  testStore({ test, expect }, () => createSqliteStore({ path: path() }))
})

describe('the contract of a store, shared', () => {
  testStore({ test, expect }, () => createSqliteStore({ path: path(), shared: true }))
})
