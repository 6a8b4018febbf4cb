import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { checks, titleOf } from './checks.ts'
import { type FixName, fixes, fixesFor } from './fixes.ts'
import { proxies } from './proxies.ts'

const guide = readFileSync(new URL('../../../../docs/doctor.md', import.meta.url), 'utf8')

test('docs/doctor.md has every fix as the command prints it', () => {
  for (const name of Object.keys(fixes) as FixName[]) {
    for (const [place, { say, code }] of Object.entries(fixesFor(name))) {
      const who = Object.entries(proxies).find(([proxy]) => proxy === place)?.[1].name ?? 'Millrace'
      expect(guide).toContain(`**${who}.** ${say}`)
      if (code !== undefined) expect(guide).toContain(`\n${code}\n\`\`\``)
    }
  }
})

test('docs/doctor.md describes every check', () => {
  for (const check of ['reach', 'access', ...Object.keys(checks)]) {
    expect(guide).toMatch(new RegExp(`^\\| ${titleOf(check)} +\\|`, 'm'))
  }
})
