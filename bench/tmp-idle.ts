import { startServer } from './processes.ts';
import { run } from './run.ts';
const at = await startServer();
const C = { name: 'cold', seconds: 30, changed: 0.02, isTold: true, readers: 0 };
const W = { ...C, name: 'idle page', seconds: Number(process.argv[2] ?? 60), readers: 1 };
await run(at, { watches: 1000, every: '10s', phases: [C, W], nodeOptions: [], onMeasured: (m) => console.log(m.phase.name, m.polls, m.late) });
at.stop();
