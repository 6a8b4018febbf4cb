import { expect, test } from 'vitest'
import { reasonOf } from './reason-of.ts'

test.each([
  ['expected <string>, got <number>', 'expected <string>, got <number>'],
  ['500: <h1>Oops</h1><script>CANARY</script><p>Try &amp; wait</p>', '500: Oops Try & wait'],
  ['<html><head><title>502 Bad\n Gateway</title></head><body>CANARY</body>', '502 Bad Gateway'],
])('%j is quoted without markup', (message, reason) => {
  expect(reasonOf(new Error(message))).toBe(reason)
})
