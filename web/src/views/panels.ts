// The kinds of panel that docs/lesson.md lists, each drawn as Python draws it (src/cutaway/panels/).

import "./matrix.ts"; // the element that draws a matrix too large for a table
import { bars } from "./bars.ts";
import { curve } from "./curve.ts";
import { heatmap } from "./heatmap.ts";
import { influence } from "./influence.ts";
import { losses } from "./losses.ts";
import type { View } from "./scene.ts";
import { table } from "./table.ts";
import { tokens } from "./tokens.ts";

export const KINDS: Record<string, View> = { tokens, heatmap, bars, losses, influence, curve, table };
