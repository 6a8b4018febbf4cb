/** The files of each package that users run or read. */
const needed = {
  millrace: ['bin.js', 'dist/index.js', 'dist/client/index.js', 'types/public/index.d.ts'],
  'millrace-tools': [
    'dist/main.js',
    'dist/emulator/index.js',
    'types/public/emulator.d.ts',
    'studio/index.html',
    'template/agents.js',
    'vectors/sse.jsonl',
  ],
}

const always = ['package.json', 'README.md', 'LICENSE']

/** Source maps, whose sources are not shipped, and tests. */
const unwanted = /\.map$|\.test\./

/** Lists the faults in the files of a packed package. */
export function findPackingFaults(packageName, names) {
  const missing = [...always, ...needed[packageName]].filter(
    (name) => !names.includes(`package/${name}`),
  )
  return [
    ...missing.map((name) => `${name} is not in the package.`),
    ...names.filter((name) => unwanted.test(name)).map((name) => `${name} must not be packed.`),
  ]
}
