import "./page";
